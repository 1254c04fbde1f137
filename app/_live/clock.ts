/** A clock in milliseconds. */
export interface Clock {
  now(): number;
}

/** The monotonic clock of the browser, for durations such as the wait after a refusal. */
export const stopwatch: Clock = { now: () => performance.now() };
