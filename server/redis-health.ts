import type { Health } from './http/health';
import { type Limiter, storeErrorIn, storeErrorKinds, withinStoreTimeout } from './limiter';
import type { Log } from './observability/log';
import type { Metrics } from './observability/metrics';
import { createStoreErrors } from './observability/store-errors';
import type { RedisClient } from './redis/client';

/** What this node learns of Redis by using it. */
export interface RedisHealth {
  /** Counts and logs an error that Redis caused; ignores any other. */
  observe(error: unknown): void;
  /** The error replies of the last minute. */
  errors(): Promise<Health>;
  /** Whether Redis answers, and decides a call of a window that no policy has. */
  check(limiter: Pick<Limiter, 'testStore' | 'breaker'>): Promise<Health>;
}

const PING_WAIT_MS = 250;

export function createRedisHealth({
  redis,
  log,
  metrics,
}: {
  redis: RedisClient;
  log: Log;
  metrics: Pick<Metrics, 'storeError'>;
}): RedisHealth {
  const errors = createStoreErrors({ log, count: metrics.storeError });
  // Counters begin with 0, so that the first error is a rise.
  for (const kind of storeErrorKinds) metrics.storeError(kind, 0);

  function observe(error: unknown): void {
    const failure = storeErrorIn(error);
    // A call that was not sent says nothing new of Redis.
    if (!failure || failure.kind === 'breaker-open') return;
    errors.observe({ kind: failure.kind, isSilence: failure.isSilence, error: failure });
  }

  return {
    observe,
    errors: errors.health,

    async check(limiter) {
      const [ping, test] = await Promise.allSettled([
        withinStoreTimeout(redis.ping(), PING_WAIT_MS),
        limiter.testStore(),
      ]);
      const failure = test.status === 'rejected' ? storeErrorIn(test.reason) : undefined;
      observe(failure);
      if (failure && !failure.isSilence)
        return { ok: false, detail: `answers decisions with an error: ${failure.kind}` };
      const breaker = limiter.breaker();
      const aside = breaker === 'closed' ? '' : `; the breaker is ${breaker}, calls do not wait for it`;
      // Why it does not answer is for the log: the page that shows this is public.
      return ping.status === 'rejected'
        ? { ok: false, detail: `does not answer${aside}` }
        : { ok: true, detail: `answers${aside}` };
    },
  };
}
