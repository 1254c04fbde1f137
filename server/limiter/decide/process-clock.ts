/** A wall clock that is set back by more than this is corrected. Less is its precision. */
const MIN_STEP_MS = 1_000;

/**
 * Creates a clock in ms that runs like the monotonic clock, and counts the time for which the machine was suspended, too: the
 * monotonic clock of a process stands still then, and only the wall clock shows it. A wall clock that is set forward has
 * the same effect. It never runs back.
 */
export function createProcessClock(
  clocks: { monotonic?: () => number; wall?: () => number } = {},
): () => number {
  const { monotonic = () => performance.now(), wall = () => Date.now() } = clocks;
  let offset = wall() - monotonic();
  let suspendedMs = 0;
  return function readProcessClock() {
    const now = monotonic();
    const aheadMs = wall() - now - offset;
    if (aheadMs > suspendedMs) suspendedMs = aheadMs;
    else if (aheadMs < suspendedMs - MIN_STEP_MS) offset += aheadMs - suspendedMs;
    return now + suspendedMs;
  };
}
