import { levelKey } from './level-key';

/** The number of calls that a level refused at about one instant. */
export interface RefusalMark {
  /** Epoch ms by Redis's clock. */
  at: number;
  count: number;
}

/** The recent marks of each level, oldest first, by `levelKey`. */
export type RefusalMarks = Readonly<Record<string, readonly RefusalMark[]>>;

export const noMarks: readonly RefusalMark[] = [];

/** Age limit of a mark: the longest window that is drawn. */
export const MARKS_MS = 60_000;

interface Totals {
  serverNow: number;
  rates: readonly { policy: string; level: string; refused: number; banned: number }[];
}

/**
 * Adds the refusals between two events, at the instant of the newer one. A level without new refusals keeps the
 * identity of its marks.
 */
export function addRefusalMarks(
  before: RefusalMarks,
  { last, next }: { last: Totals | undefined; next: Totals },
): RefusalMarks {
  if (!last) return before;
  const totals = new Map(last.rates.map((rate) => [levelKey(rate), rate.refused + rate.banned]));
  const marks = next.rates.flatMap((rate) => {
    const name = levelKey(rate);
    const count = rate.refused + rate.banned - (totals.get(name) ?? 0);
    if (count <= 0) return [];
    const kept = (before[name] ?? []).filter(({ at }) => at > next.serverNow - MARKS_MS);
    return [[name, [...kept, { at: next.serverNow, count }]] as const];
  });
  return marks.length === 0 ? before : { ...before, ...Object.fromEntries(marks) };
}

/** Counts the refused calls of marks after an instant. */
export function countRefusedSince(marks: readonly RefusalMark[], since: number): number {
  return marks.filter(({ at }) => at > since).reduce((sum, { count }) => sum + count, 0);
}
