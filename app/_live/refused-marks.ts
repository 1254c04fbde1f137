import type { LiveEvent } from './live-event';
import { levelName, type RefusedMark, type RefusedMarks } from './live-snapshot';

/** Marks are of no use once they are older than any window that is drawn. */
const keptMs = 60_000;

/** What an event says of the levels. */
type Totals = Pick<LiveEvent, 'serverNow' | 'rates'>;

/**
 * What was refused between two events of the feed. The totals say how much, the newer event says when. A level that
 * refused nothing keeps the identity of its marks.
 */
export function marksAfter(
  before: RefusedMarks,
  { last, next }: { last: Totals | undefined; next: Totals },
): RefusedMarks {
  if (!last) return before;
  const totals = new Map(last.rates.map((rate) => [levelName(rate), rate.refused + rate.banned]));
  const marks = next.rates.flatMap((rate) => {
    const name = levelName(rate);
    const count = rate.refused + rate.banned - (totals.get(name) ?? 0);
    if (count <= 0) return [];
    const kept = (before[name] ?? []).filter(({ at }) => at > next.serverNow - keptMs);
    return [[name, [...kept, { at: next.serverNow, count }]] as const];
  });
  return marks.length === 0 ? before : { ...before, ...Object.fromEntries(marks) };
}

/** How many calls the marks of the last `windowMs` tell of. */
export function refusedSince(marks: readonly RefusedMark[], since: number): number {
  return marks.filter(({ at }) => at > since).reduce((sum, { count }) => sum + count, 0);
}
