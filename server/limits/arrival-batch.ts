import { z } from 'zod';
import { type Arrival, type ArrivalOutcome, arrivalOutcomes } from './arrival';

/**
 * A batch as Redis keeps it: each subject's name once, each arrival as numbers (ms after `base`, the outcome's place,
 * the place among the names of the refusing level or -1, then of each subject or -1). About 20 bytes an arrival.
 */
const batchShape = z.object({
  levels: z.array(z.string()),
  base: z.number(),
  names: z.array(z.string()),
  arrivals: z.array(z.array(z.number()).min(3)),
});

/** The text of a batch of one policy, whose levels have these names. */
export function encodeBatch(arrivals: readonly Arrival[], levels: readonly string[]): string {
  const base = arrivals[0]?.at ?? 0;
  const names: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (name: string | null) => {
    if (name === null) return -1;
    const known = places.get(name);
    if (known !== undefined) return known;
    places.set(name, names.length);
    return names.push(name) - 1;
  };
  const rows = arrivals.map(({ at, outcome, refusedBy, subjects }) => [
    at - base,
    arrivalOutcomes.indexOf(outcome),
    refusedBy === undefined ? -1 : levels.indexOf(refusedBy),
    ...subjects.map(placeOf),
  ]);
  return JSON.stringify({ levels, base, names, arrivals: rows });
}

/** The arrivals of a batch, their subjects in the order of these levels; none where another version wrote it otherwise. */
export function decodeBatch(text: string, levels: readonly string[]): Arrival[] {
  const { data } = batchShape.safeParse(JSON.parse(text));
  if (!data) return [];
  const placeOf = levels.map((level) => data.levels.indexOf(level));
  return data.arrivals.map(([after = 0, outcome = 0, refusedBy = -1, ...subjects]) => ({
    at: data.base + after,
    outcome: arrivalOutcomes[outcome] ?? lastOutcome,
    ...(refusedBy >= 0 && { refusedBy: data.levels[refusedBy] }),
    subjects: placeOf.map((place) => data.names[subjects[place] ?? -1] ?? null),
  }));
}

const lastOutcome: ArrivalOutcome = 'unavailable';
