import { countInWindow } from '../lanes/window-counts';
import type { Claim, ClaimMeasure } from '../presets';
import type { DrawnRun } from '../types';

/** The measured value of a claim, and how the stated number compares with it. */
export interface MeasuredClaim {
  count: number;
  verdict: 'agrees' | 'differs' | 'contradiction';
}

/** Measures a claim in the runs of its preset. Returns `undefined` if its algorithm has not run. */
export function measureClaim(
  { algorithm, measure, says }: Claim,
  { runs, windowMs }: { runs: readonly DrawnRun[]; windowMs: number },
): MeasuredClaim | undefined {
  const run = runs.find((one) => one.algorithm === algorithm);
  if (!run) return undefined;
  const count = measures[measure](run, windowMs);
  if (says === null) return { count, verdict: 'contradiction' };
  return { count, verdict: count === says ? 'agrees' : 'differs' };
}

const measures: Record<ClaimMeasure, (run: DrawnRun, windowMs: number) => number> = {
  admitted: (run) => run.admitted,
  worstWindow: (run) => run.worstWindow,
  lastInWindow({ decisions }, windowMs) {
    const admitted = decisions.filter(({ allowed }) => allowed).map(({ at }) => at);
    return countInWindow(admitted, windowMs, decisions.at(-1)?.at ?? 0);
  },
  longestDelayMs: ({ decisions }) => Math.max(0, ...decisions.map(({ delayMs }) => delayMs)),
};
