import type { HistoryPoint } from './ops-event';

/** Seconds are kept this long, as on the server. */
export const HISTORY_MS = 300_000;

/**
 * Merges the newest seconds of an event into the history, oldest first. Returns the same list if nothing changed, so
 * that nothing redraws.
 */
export function mergeHistory(
  before: readonly HistoryPoint[],
  { history, serverNow }: { history: readonly HistoryPoint[]; serverNow: number },
): readonly HistoryPoint[] {
  const first = history[0];
  if (!first) return before;
  if (JSON.stringify(before.slice(-history.length)) === JSON.stringify(history)) return before;
  const kept = before.filter(({ at }) => at < first.at && at >= serverNow - HISTORY_MS);
  return [...kept, ...history];
}
