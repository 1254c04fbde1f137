import { sharedSecret } from '../db/shared-secret';
import { type Arrivals, createArrivals } from '../fleet/arrivals';
import { createRateCounter, type NodeStatus, type RateCounter } from '../fleet/rates';
import { createSubjectStats, type SubjectStats } from '../fleet/subject-stats';
import { createLimiter, type Limiter } from '../limiter';
import { createOverrides, type Overrides, subscribeOverrides } from '../limits/overrides';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import { DECISION_WAIT_MS } from '../trpc/deadline';
import type { Stores } from './connect-stores';
import type { Step } from './create-step';
import { loadAllScripts } from './load-scripts';
import type { Subsystem } from './subsystem';

export interface Limits {
  limiter: Limiter;
  overrides: Overrides;
  rates: RateCounter;
  arrivals: Arrivals;
  subjects: SubjectStats;
}

export interface StartLimitsOptions extends Omit<Stores, 'calls'> {
  /** The name of this node. */
  node: string;
  /** Returns the status of this node for its heartbeat. */
  status: () => NodeStatus;
  log: Log;
  metrics: Metrics;
  step: Step;
}

/** Starts the limiter and the telemetry of its decisions, loads the scripts, and reads the overrides. */
export async function startLimits(options: StartLimitsOptions): Promise<Subsystem<Limits>> {
  const { redis, redisHealth, db, node, status, log, metrics, step } = options;
  const rates = createRateCounter({ redis: redis.background, node, status });
  const { storeNow } = rates;
  const arrivals = createArrivals({ redis: redis.background, node, storeNow });
  const subjects = createSubjectStats({ redis: redis.background, node, storeNow });
  const limiter: Limiter = createLimiter({
    redis: redis.decisions,
    secret: await sharedSecret(db, 'subjects'),
    timeoutMs: DECISION_WAIT_MS,
    nodes: rates.nodes,
    onDecision(outcome) {
      metrics.observeDecision(outcome);
      if (outcome.cause !== undefined) {
        metrics.setStoreUp(false);
        redisHealth.observeStoreError(outcome.cause);
      }
      metrics.setBreakerOpen(limiter.breakerState() !== 'closed');
      rates.count(outcome);
      arrivals.capture(outcome);
      subjects.count(outcome);
    },
    onWarning: (message) => log.warn(message),
  });
  await step('scripts', () => loadAllScripts({ redis: redis.decisions, limiter, log }));
  const overrides = createOverrides({ db, redis: redis.background, limiter, log });
  await step('limits', async () => {
    await overrides.refreshOverrides();
    await subscribeOverrides(redis.subscriber, { overrides, log });
  });

  async function sendHeartbeat(): Promise<void> {
    await rates.sendHeartbeat();
    metrics.setStoreUp(true);
    metrics.setBreakerOpen(limiter.breakerState() !== 'closed');
  }

  return {
    verbs: { limiter, overrides, rates, arrivals, subjects },
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
