import { z } from 'zod';

/** The outcomes of a call. `replayed`: charged nothing. `unavailable`: the store was down and the policy is closed. */
export const arrivalOutcomes = [
  'admitted',
  'replayed',
  'refused',
  'banned',
  'degraded',
  'unavailable',
] as const;
type ArrivalOutcome = (typeof arrivalOutcomes)[number];

/** A call that a policy decided. */
export interface Arrival {
  /** Epoch ms by Redis's clock. */
  at: number;
  outcome: ArrivalOutcome;
  /** The level that refused. */
  refusedBy?: string | undefined;
  /** Key name of the subject at each level, in the policy's order; null for a level without a subject. */
  subjects: readonly (string | null)[];
}

/**
 * The stored form of a batch. `names` lists each subject's name once. An arrival is a row of numbers: ms after `base`,
 * index of the outcome, index of the refusing level or -1, then for each level the index of the subject in `names` or
 * -1. About 20 bytes per arrival.
 */
const batchShape = z.object({
  levels: z.array(z.string()),
  base: z.number(),
  names: z.array(z.string()),
  arrivals: z.array(z.array(z.number()).min(3)),
});

/** Encodes arrivals of one policy. `levels` are the names of its levels. */
export function encodeBatch(arrivals: readonly Arrival[], levels: readonly string[]): string {
  const base = arrivals[0]?.at ?? 0;
  const names: string[] = [];
  const indexes = new Map<string, number>();
  const indexOf = (name: string | null) => {
    if (name === null) return -1;
    const known = indexes.get(name);
    if (known !== undefined) return known;
    indexes.set(name, names.length);
    return names.push(name) - 1;
  };
  const rows = arrivals.map(({ at, outcome, refusedBy, subjects }) => [
    at - base,
    arrivalOutcomes.indexOf(outcome),
    refusedBy === undefined ? -1 : levels.indexOf(refusedBy),
    ...subjects.map(indexOf),
  ]);
  return JSON.stringify({ levels, base, names, arrivals: rows });
}

/** Decodes a batch, with the subjects in the order of `levels`. Returns no arrivals for a format of another version. */
export function decodeBatch(text: string, levels: readonly string[]): Arrival[] {
  const { data } = batchShape.safeParse(JSON.parse(text));
  if (!data) return [];
  const columns = levels.map((level) => data.levels.indexOf(level));
  return data.arrivals.map(([after = 0, outcome = 0, refusedBy = -1, ...subjects]) => ({
    at: data.base + after,
    outcome: arrivalOutcomes[outcome] ?? 'unavailable',
    ...(refusedBy >= 0 && { refusedBy: data.levels[refusedBy] }),
    subjects: columns.map((column) => data.names[subjects[column] ?? -1] ?? null),
  }));
}
