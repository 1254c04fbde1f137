import { listAudit } from '../audit/list-audit';
import type { Db } from '../db/client';
import { createRunExperiment } from '../lab/experiment';
import { createExperimentQueue } from '../lab/experiment-queue';
import { createLabConnections } from '../lab/lab-connections';
import { type Limiter, withinStoreTimeout } from '../limiter';
import type { Arrivals } from '../limits/arrivals';
import type { Catalogue } from '../limits/catalogue';
import { createHistory } from '../limits/history';
import type { RateCounter } from '../limits/rates';
import type { Subjects } from '../limits/subjects';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import type { Reading } from './alerts/alert-state';
import { fleetReadings, SHARE_MS } from './alerts/readings';
import { createSharedAlerts } from './alerts/shared-alerts';
import { createAlertWatch, logAlert } from './alerts/watch';
import { createWebhook } from './alerts/webhook';
import { createExplain } from './explain';
import type { OpsState } from './ops-state';
import { createReadState } from './read-state';
import { createRefusedList } from './refused-list';
import type { OpsVerbs } from './router';
import { createSaleRows } from './sale-rows';
import { createWhatIf } from './what-if';

export interface OpsOptions {
  /** As in `REDIS_URL`; several are nodes of a cluster. */
  urls: readonly string[];
  /** For looks and displays. */
  redis: RedisClient;
  db: Db;
  limiter: Limiter;
  rates: RateCounter;
  arrivals: Arrivals;
  subjects: Subjects;
  sale: Pick<OpsVerbs, 'refunds' | 'deadLetters'>;
  /** What `/readyz` tells: never throws. */
  health: () => Promise<OpsState['health']>;
  /** Whom to tell of alerts, and what signs that. Absent: nobody. */
  webhook?: { url: string; secret: string } | undefined;
  log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>;
}

/** What operators are told by one node. */
export interface Ops {
  verbs: OpsVerbs;
  read(catalogue: Catalogue): Promise<OpsState>;
  /** Looks whether anything is to be raised or has cleared. To be called every second. */
  lookForAlerts(catalogue: Catalogue): Promise<void>;
  stop(): Promise<void>;
}

/** For a look at what nodes have told. */
const WAIT_MS = 500;

export function createOps(options: OpsOptions): Ops {
  const { urls, redis, db, limiter, rates, arrivals, subjects, sale, health, log } = options;
  const history = createHistory({ redis });
  const webhook = options.webhook && createWebhook({ ...options.webhook, log });
  let catalogue: Catalogue = [];
  let found: OpsState['health'] = {};

  async function readFleet(): Promise<Reading[]> {
    const now = rates.storeNow();
    const [fleet] = await Promise.all([
      withinStoreTimeout(rates.fleet(), WAIT_MS),
      history.read({ now, catalogue }),
    ]);
    const policies = catalogue.map(({ name }) => name);
    return fleetReadings({ policies, points: history.points(now - SHARE_MS), fleet });
  }

  const watch = createAlertWatch({
    shared: createSharedAlerts({ redis }),
    fleetReadings: readFleet,
    ownReadings: () => [
      { rule: 'store-down', target: 'redis', value: found.redis && Number(!found.redis.ok) },
    ],
    now: rates.storeNow,
    onChange(alert) {
      logAlert(log, alert);
      webhook?.send(alert);
    },
  });
  // Replays are experiments, but operators do not stand in line with the lab's visitors.
  const connections = createLabConnections({
    urls,
    onError: (error) => log.debug({ err: error, purpose: 'what if' }, 'Redis cannot be reached.'),
  });
  const queue = createExperimentQueue();
  const conduct = createRunExperiment({
    connections,
    queue,
    onCleanupError: (error) => log.warn({ err: error }, 'Keys of a replay are left to expire.'),
  });

  const readState = createReadState({
    ...{ limiter, rates, history, subjects, health },
    alerts: watch.board,
  });

  return {
    verbs: {
      whatIf: createWhatIf({ limiter, arrivals, conduct }),
      refusedList: createRefusedList({ limiter, rates, subjects }),
      explain: createExplain({ limiter, arrivals }),
      listAudit: (query) => listAudit(db, query),
      saleRows: createSaleRows({ db }),
      refunds: sale.refunds,
      deadLetters: sale.deadLetters,
    },

    read: readState,

    async lookForAlerts(known) {
      catalogue = known;
      found = await health();
      await watch.look();
    },

    async stop() {
      await Promise.all([queue.close(), webhook?.stop()]);
      connections.close();
    },
  };
}
