export const firstWaitMs = 5_000;
const longestWaitMs = 30_000;

/**
 * How long to wait before asking again, after so many answers that were no good: 5, 10, 20, then always 30 s. Up to a
 * quarter less, so that the pages of many visitors do not all ask in the moment the store is back.
 */
export function waitAfter(answers: number, random: () => number = Math.random): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** answers);
  return Math.round(longest * (1 - random() / 4));
}
