import type { HistoryPoint } from './ops-event';

/** So long seconds are kept, in ms: as long as the server remembers them. */
export const historyMs = 300_000;

/**
 * The seconds that are known after an event has told the newest of them again, oldest first. The same list where the
 * event says nothing new, so that nothing is drawn again for it.
 */
export function mergeHistory(
  before: readonly HistoryPoint[],
  { history, serverNow }: { history: readonly HistoryPoint[]; serverNow: number },
): readonly HistoryPoint[] {
  const first = history[0];
  if (!first) return before;
  if (JSON.stringify(before.slice(-history.length)) === JSON.stringify(history)) return before;
  const kept = before.filter(({ at }) => at < first.at && at >= serverNow - historyMs);
  return [...kept, ...history];
}
