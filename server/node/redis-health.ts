import type { Finding, Health } from '../finding';
import { type Limiter, storeErrorIn, storeErrorKinds, withinStoreTimeout } from '../limiter/index';
import { createFunctionLibraries } from '../limiter/stores';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import { createStoreErrors } from '../observability/store-errors';
import { createClockCheck, createSettingsCheck } from '../redis/checks';
import type { RedisClient } from '../redis/client';
import type { Subsystem } from './subsystem';

/** The health of Redis, as this node's calls observe it. */
export interface RedisHealth {
  /** Counts and logs an error that Redis caused; ignores any other. */
  observeStoreError(error: unknown): void;
  /** Returns the error replies of the last minute. */
  errorHealth(): Promise<Health>;
  /** Pings Redis, and decides a call of a test window that belongs to no policy. */
  check(limiter: Pick<Limiter, 'testStore' | 'breakerState'>): Promise<Health>;
}

const PING_TIMEOUT_MS = 250;

/** Counts errors of Redis per kind in `metrics`. A ping without a reply fails after 250 ms. */
export function createRedisHealth({
  redis,
  log,
  metrics,
}: {
  redis: RedisClient;
  log: Log;
  metrics: Pick<Metrics, 'countStoreError'>;
}): RedisHealth {
  const errors = createStoreErrors({ log, countStoreError: metrics.countStoreError });
  // Counters start at 0, so that the first error is an increase.
  for (const kind of storeErrorKinds) metrics.countStoreError(kind, 0);

  function observe(error: unknown): void {
    const failure = storeErrorIn(error);
    // A call that the breaker stopped was not sent to Redis.
    if (!failure || failure.kind === 'breaker-open') return;
    errors.observe({ kind: failure.kind, hasNoReply: failure.hasNoReply, error: failure });
  }

  return {
    observeStoreError: observe,
    errorHealth: errors.health,

    async check(limiter) {
      const [ping, test] = await Promise.allSettled([
        withinStoreTimeout(redis.ping(), PING_TIMEOUT_MS),
        limiter.testStore(),
      ]);
      const failure = test.status === 'rejected' ? storeErrorIn(test.reason) : undefined;
      observe(failure);
      if (failure && !failure.hasNoReply)
        return {
          ok: false,
          detail: `answers decisions with an error: ${failure.kind}`,
          findings: [{ code: 'error-reply', values: { kind: failure.kind } }],
        };
      const breaker = limiter.breakerState();
      const note = breaker === 'closed' ? '' : `; the breaker is ${breaker}, calls do not wait for it`;
      // /readyz is public, so only the log has the cause.
      const notes: Finding[] = breaker === 'closed' ? [] : [{ code: 'breaker', values: { state: breaker } }];
      return ping.status === 'rejected'
        ? { ok: false, detail: `does not answer${note}`, findings: [{ code: 'no-answer' }, ...notes] }
        : { ok: true, detail: `answers${note}`, findings: [{ code: 'answers' }, ...notes] };
    },
  };
}

/** Interval of the settings check, short enough for an operator who has just changed a setting. */
const SETTINGS_EVERY_MS = 60_000;

/** Interval of the cleanup. It deletes libraries that no node has reported for a day. */
const LIBRARIES_EVERY_MS = 60 * 60 * 1000;

/** Checks the clock and the settings of Redis, and deletes unused function libraries. */
export function createRedisUpkeep({ redis, log }: { redis: RedisClient; log: Log }): Subsystem {
  const clockCheck = createClockCheck({ redis, log });
  const settingsCheck = createSettingsCheck({ redis, log });
  const libraries = createFunctionLibraries({ redis });

  async function deleteUnused(): Promise<void> {
    const deleted = await libraries.deleteUnused();
    if (deleted.length > 0) log.info({ libraries: deleted }, 'Unused function libraries were deleted.');
  }

  return {
    verbs: {},
    jobs: [
      { name: "Reading Redis's clock", run: clockCheck.checkClocks, everyMs: 1_000 },
      { name: "Checking Redis's settings", run: settingsCheck.checkSettings, everyMs: SETTINGS_EVERY_MS },
      { name: 'Deleting unused function libraries', run: deleteUnused, everyMs: LIBRARIES_EVERY_MS },
    ],
    warnings: { redisSettings: settingsCheck.health, redisClock: clockCheck.health },
  };
}
