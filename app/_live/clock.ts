/** Anything that tells the time in milliseconds. */
export interface Clock {
  now(): number;
}

/** This machine's own count of time, which nobody sets: for durations, such as the wait after a refusal. */
export const stopwatch: Clock = { now: () => performance.now() };
