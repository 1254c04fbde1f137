import { sharedSecret } from '../db/shared-secret';
import { StartError } from '../errors';
import { type Arrivals, createArrivals } from '../fleet/arrivals';
import { createDecisionCounter, type DecisionCounter } from '../fleet/decision-counter';
import { createHeartbeat, type Heartbeat, type NodeStatus } from '../fleet/heartbeat';
import { createSubjectStats, type SubjectStats } from '../fleet/subject-stats';
import { createLimiter, type DecisionObserver, type Limiter, ScriptError } from '../limiter/index';
import { createQueues } from '../limiter/queue';
import { ioredisStore, loadScripts, memoryStore, type ScriptLoader } from '../limiter/stores';
import {
  createFleetOverrides,
  type FleetOverrides,
  subscribeFleetOverrides,
} from '../limits/fleet-overrides';
import { createNodeLimiter } from '../limits/node-limiter';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import { nodePolicies } from '../policies';
import { DECISION_TIMEOUT_MS } from '../trpc/deadline';
import type { Stores } from './connect-stores';
import type { Step, Subsystem } from './subsystem';

export interface Limits {
  limiter: Limiter;
  overrides: FleetOverrides;
  decisionCounter: DecisionCounter;
  heartbeat: Heartbeat;
  arrivals: Arrivals;
  subjects: SubjectStats;
}

export interface StartLimitsOptions extends Omit<Stores, 'calls'> {
  /** The name of this node. */
  nodeName: string;
  /** The policies of this node. */
  policies: PolicyRegistry;
  /** The status of this node, which each heartbeat sends. */
  status: Readonly<NodeStatus>;
  log: Log;
  metrics: Metrics;
  step: Step;
}

/** Starts the limiter and the telemetry of its decisions, loads the scripts, and reads the overrides. */
export async function startLimits(options: StartLimitsOptions): Promise<Subsystem<Limits>> {
  const { redis, redisHealth, db, nodeName, policies, status, log, metrics, step } = options;
  const decisionCounter = createDecisionCounter({ redis: redis.background });
  const heartbeat = createHeartbeat({ redis: redis.background, node: nodeName, decisionCounter });
  const { storeNow } = heartbeat;
  const arrivals = createArrivals({ redis: redis.background, node: nodeName, storeNow });
  const subjects = createSubjectStats({ redis: redis.background, node: nodeName, storeNow });
  const shared = {
    secret: await sharedSecret(db, 'subjects'),
    onDecision(outcome: Parameters<DecisionObserver>[0]) {
      if (outcome.error) redisHealth.observeStoreError(outcome.error);
      decisionCounter.count(outcome);
      arrivals.capture(outcome);
      subjects.count(outcome);
    },
    onWarning: (message: string) => log.warn(message),
  };
  const limiter = createNodeLimiter({
    shared: createLimiter({
      ...shared,
      queues: createQueues,
      store: ioredisStore(redis.decisions),
      timeoutMs: DECISION_TIMEOUT_MS,
      nodes: heartbeat.nodes,
    }),
    own: createLimiter({ ...shared, store: memoryStore({ clock: storeNow }) }),
    ownPolicies: policies.filter(({ name }) => nodePolicies.has(name)),
  });
  metrics.observeLimiter(limiter);
  await step('scripts', () => loadAllScripts({ redis: redis.decisions, limiter, log }));
  const overrides = createFleetOverrides({ db, redis: redis.background, limiter, policies, log });
  await step('limits', async () => {
    await overrides.refreshOverrides();
    await subscribeFleetOverrides(redis.subscriber, { overrides, log });
  });

  const sendHeartbeat = () => heartbeat.sendHeartbeat({ ...status, leased: limiter.leasedUnits() });
  return {
    verbs: { limiter, overrides, decisionCounter, heartbeat, arrivals, subjects },
    jobs: [
      { name: 'Sending the heartbeat', run: sendHeartbeat, everyMs: 500 },
      { name: 'Sending the arrivals', run: arrivals.flushArrivals, everyMs: 500 },
      { name: 'Publishing the subject statistics', run: subjects.publishStats, everyMs: 1_000 },
      { name: 'Reading changed limits', run: overrides.refreshOverrides, everyMs: 500 },
    ],
    checks: { redis: () => redisHealth.check(limiter) },
    warnings: { redisErrors: redisHealth.errorHealth },
  };
}

/**
 * Loads every script and function before the node serves calls. Throws a `StartError` with file and line if one does not
 * compile. Other errors (no permission, no memory, master down) are warnings, because each script is loaded again at its
 * first call.
 */
async function loadAllScripts({
  redis,
  limiter,
  log,
}: {
  redis: ScriptLoader;
  limiter: Limiter;
  log: Log;
}): Promise<void> {
  try {
    await loadScripts(redis);
    await limiter.ready();
  } catch (cause) {
    if (cause instanceof ScriptError)
      throw new StartError(`Redis does not compile ${cause.message}.`, { cause });
    log.warn({ err: cause }, 'The scripts could not be loaded at start. Each is loaded at its first call.');
  }
}
