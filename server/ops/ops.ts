import type { Db } from '../db/client';
import { createRunExperiment } from '../experiments/experiment';
import { createExperimentConnections } from '../experiments/experiment-connections';
import { createExperimentQueue } from '../experiments/experiment-queue';
import type { Arrivals } from '../fleet/arrivals';
import type { DecisionCounter } from '../fleet/decision-counter';
import type { Heartbeat } from '../fleet/heartbeat';
import { createHistory } from '../fleet/history';
import type { SubjectStats } from '../fleet/subject-stats';
import { type Limiter, withinStoreTimeout } from '../limiter/index';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { createAlertMonitor, logAlert } from './alerts/alert-monitor';
import type { Reading } from './alerts/alert-state';
import { REFUSED_SHARE_MS, readOutage, toFleetReadings } from './alerts/readings';
import { createWebhook } from './alerts/webhook';
import { listAuditLog } from './list-audit-log';
import type { OpsState } from './ops-hub';
import { createReadState, LATENCY_MS } from './read-state';
import type { OpsVerbs } from './router';
import { createSaleRows } from './sale-rows';
import { OPS_STORE_TIMEOUT_MS } from './store-timeout';
import { createExplain, createListRefused } from './subjects';
import { createWhatIf } from './what-if';

export interface OpsOptions {
  /** The URLs of `REDIS_URL`; several are nodes of a cluster. */
  urls: readonly string[];
  redis: RedisClient;
  db: Db;
  limiter: Limiter;
  /** The policies of this node. */
  policies: PolicyRegistry;
  decisionCounter: DecisionCounter;
  heartbeat: Heartbeat;
  arrivals: Arrivals;
  subjects: SubjectStats;
  sale: Pick<OpsVerbs, 'refunds' | 'listDeadLetters'>;
  /** Returns the dependencies of `/readyz`. Never throws. */
  health: () => Promise<OpsState['health']>;
  /** The webhook that receives alerts, and the secret that signs them. Absent: none. */
  webhook?: { url: string; secret: string } | undefined;
  log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>;
}

/** The operator features of one node. */
export interface Ops {
  verbs: OpsVerbs;
  readState(): Promise<OpsState>;
  /** Raises and clears alerts. Call it every second. */
  evaluateAlerts(): Promise<void>;
  stop(): Promise<void>;
}

/** Builds the operations view of this node: fleet rates, history, alerts and the webhook, if one is configured. */
export function createOps(options: OpsOptions): Ops {
  const { urls, redis, db, limiter, policies, sale, health, log } = options;
  const { decisionCounter, heartbeat, arrivals, subjects } = options;
  const history = createHistory({ redis });
  const webhook = options.webhook && createWebhook({ ...options.webhook, log });
  let dependencies: OpsState['health'] = {};

  async function readFleet(): Promise<Reading[]> {
    const now = heartbeat.storeNow();
    const [fleet] = await Promise.all([
      withinStoreTimeout(heartbeat.readFleet(), OPS_STORE_TIMEOUT_MS),
      history.refreshHistory({ now, policies }),
    ]);
    return toFleetReadings({
      policies: policies.map((policy) => ({
        name: policy.name,
        isBlocked: limiter.effectivePolicy(policy).levels.some(({ mode }) => mode === 'block'),
      })),
      points: history.points(now - REFUSED_SHARE_MS),
      latency: history.latency(now - LATENCY_MS),
      fleet,
    });
  }

  const monitor = createAlertMonitor({
    redis,
    readFleet,
    readOwn: () => [
      { rule: 'store-down', target: 'redis', value: dependencies.redis && readOutage(dependencies.redis) },
    ],
    storeNow: heartbeat.storeNow,
    onChange(alert) {
      logAlert(log, alert);
      webhook?.send(alert);
    },
  });
  // Replays are experiments, but operators have their own queue, apart from the lab's visitors.
  const connections = createExperimentConnections({
    urls,
    onError: (error) => log.debug({ err: error, purpose: 'what if' }, 'Redis cannot be reached.'),
  });
  const queue = createExperimentQueue();
  const runExperiment = createRunExperiment({
    connections,
    queue,
    onCleanupError: (error) =>
      log.warn({ err: error }, 'The keys of a replay could not be deleted. They will expire.'),
  });

  const readState = createReadState({
    ...{ limiter, policies, decisionCounter, heartbeat, history, subjects, health },
    alerts: monitor.board,
  });

  return {
    verbs: {
      whatIf: createWhatIf({ limiter, arrivals, runExperiment }),
      listRefused: createListRefused({ limiter, heartbeat, subjects }),
      explain: createExplain({ limiter, arrivals, storeNow: heartbeat.storeNow }),
      listAuditLog: (query) => listAuditLog(db, query),
      saleRows: createSaleRows({ db }),
      refunds: sale.refunds,
      listDeadLetters: sale.listDeadLetters,
    },

    readState,

    async evaluateAlerts() {
      dependencies = await health();
      await monitor.evaluateAlerts();
    },

    async stop() {
      await Promise.all([queue.close(), webhook?.stop()]);
      connections.close();
    },
  };
}
