export const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 30_000;

/**
 * Returns the wait before the next retry after a number of failures: 5, 10, 20, then 30 s, reduced by up to a quarter
 * at random, so that visitors do not all retry at once.
 */
export function getRetryDelayMs(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
  return Math.round(longest * (1 - random() / 4));
}
