import fc from 'fast-check';

/** The fixed seed of `npm test`, so that only a change can fail a run. `SEED` replaces it. */
const DEFAULT_SEED = 20_261_122;
/** The maximum number of cases of one property in `npm test`. */
const MAX_SHORT_CASES = 50;

/** True in `npm run drill -- --oracle` and `-- --all`: long tests run in full. */
export const isFull: boolean = process.env.FLOODGATE_FULL_PROPERTIES === '1';

/**
 * Returns fast-check's settings for a property: `cases` cases in `npm run drill -- --oracle`, at most `short` (default
 * 50) in `npm test`. A failure prints its seed; `SEED=… npm test -- FILE` runs the same cases again.
 */
export function propertyRuns(
  cases: number,
  { short = MAX_SHORT_CASES }: { short?: number | undefined } = {},
): { numRuns: number; seed: number } {
  return { numRuns: isFull ? cases : Math.min(cases, short), seed: readSeed() };
}

function readSeed(): number {
  const { SEED } = process.env;
  if (SEED === undefined) return DEFAULT_SEED;
  const seed = Number(SEED);
  if (!Number.isInteger(seed)) throw new TypeError(`SEED must be a whole number, but is ${SEED}.`);
  return seed;
}

// The message of a failed property contains its error.
fc.configureGlobal({ seed: readSeed(), includeErrorInReport: true });
