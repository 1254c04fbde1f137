/** A clock in milliseconds. */
export interface Clock {
  now(): number;
}

/** The monotonic clock of the browser, for durations such as the wait after a refusal. */
export const stopwatch: Clock = { now: () => performance.now() };

/**
 * Returns the instant on the monotonic clock from which a refused call may be repeated; `undefined` if an operator blocks it,
 * because no time is known.
 */
export function retryAtOf({ retryAfterMs }: { retryAfterMs: number | null }): number | undefined {
  return retryAfterMs === null ? undefined : stopwatch.now() + retryAfterMs;
}

/** The browser's estimate of Redis's clock, which decides limits and sales, in epoch ms. */
export interface ServerClock extends Clock {
  /** Records an instant that the server has just sent. */
  observe(serverNow: number): void;
  /** Returns false before the first observation. Until then `now` returns the browser's clock. */
  isSet(): boolean;
}

/** Number of recent samples considered, so that a clock that went back takes over after 16 samples. */
const MAX_SAMPLES = 16;

/**
 * Creates a clock from samples. Network delay makes every sample late, so the greatest recent offset is the most
 * exact. Between samples, the monotonic clock advances it.
 */
export function createServerClock(elapsed: Clock = stopwatch): ServerClock {
  const offsets: number[] = [];
  return {
    observe(serverNow) {
      offsets.push(serverNow - elapsed.now());
      if (offsets.length > MAX_SAMPLES) offsets.shift();
    },
    isSet: () => offsets.length > 0,
    now: () => (offsets.length === 0 ? Date.now() : Math.max(...offsets) + elapsed.now()),
  };
}
