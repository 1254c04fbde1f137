import type { Claim, ClaimMeasure } from './presets';
import { encodeScenario, type Scenario } from './scenario';
import type { Algorithm, AlgorithmRun, DecidedCall, DrawnRun } from './types';

/** Display position of each algorithm. A missing algorithm does not compile. */
const positions = {
  'sliding-log': 0,
  'sliding-counter': 1,
  'fixed-window': 2,
  'token-bucket': 3,
  'leaky-bucket': 4,
} as const satisfies Record<Algorithm, number>;

export const algorithms: readonly Algorithm[] = Object.keys(positions).filter(isAlgorithm);

function isAlgorithm(name: string): name is Algorithm {
  return name in positions;
}

/** Counts the ascending times in (at - windowMs, at]. */
export function countInWindow(instants: readonly number[], windowMs: number, at: number): number {
  return findIndexAfter(instants, at) - findIndexAfter(instants, at - windowMs);
}

/**
 * Lists the times at which `countInWindow` can change: each instant of the lists and its expiry. Ascending, from 0 to
 * `until`.
 */
export function listChanges(
  lists: readonly (readonly number[])[],
  windowMs: number,
  until: number,
): number[] {
  const changes = new Set([0, until]);
  for (const at of lists.flat()) {
    if (at <= until) changes.add(at);
    if (at + windowMs <= until) changes.add(at + windowMs);
  }
  return [...changes].sort((one, other) => one - other);
}

/** Finds the index of the first time after `at`. */
export function findIndexAfter(instants: readonly number[], at: number): number {
  let [from, to] = [0, instants.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((instants[middle] ?? Number.POSITIVE_INFINITY) <= at) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The state of one algorithm at a given time. */
export interface InstantState {
  /** Admissions in the window that ends at this time. */
  inWindow: number;
  /** The latest decided call. Undefined before the first call. */
  last: DecidedCall | undefined;
  /** Admitted calls that still wait in the queue. */
  queued: number;
}

/** Returns the state at `at`, in ms of the run. Decisions are ascending. */
export function getInstantState(
  { decisions, windowMs }: { decisions: readonly DecidedCall[]; windowMs: number },
  at: number,
): InstantState {
  const decided = decisions.filter((call) => call.at <= at);
  return {
    inWindow: countInWindow(listTimes(decided, true), windowMs, at),
    last: decided.at(-1),
    queued: decided.filter((call) => call.allowed && call.at + call.delayMs > at).length,
  };
}

/** Lists the times of the admitted or of the refused calls. */
export function listTimes(decisions: readonly DecidedCall[], allowed: boolean): number[] {
  return decisions.filter((call) => call.allowed === allowed).map(({ at }) => at);
}

/** Finds the longest wait of a call, in ms: until a queued call starts, or until a refused call may be repeated. */
export function findLongestWait(decisions: readonly DecidedCall[]): number {
  const waits = decisions.map(({ allowed, delayMs, retryAfterMs }) => (allowed ? delayMs : retryAfterMs));
  return Math.max(0, ...waits);
}

/** The measured value of a claim, and how the stated number compares with it. */
interface MeasuredClaim {
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
    return countInWindow(listTimes(decisions, true), windowMs, decisions.at(-1)?.at ?? 0);
  },
  longestDelayMs: ({ decisions }) => Math.max(0, ...decisions.map(({ delayMs }) => delayMs)),
};

const csvColumns = ['algorithm', 'at_ms', 'allowed', 'remaining', 'retry_after_ms', 'delay_ms'];

/** Formats all decisions of a run as CSV (RFC 4180), one line each. No value needs quotes. */
export function formatCsv(runs: readonly AlgorithmRun[]): string {
  const lines = runs.flatMap(({ algorithm, decisions }) =>
    decisions.map(({ at, allowed, remaining, retryAfterMs, delayMs }) =>
      [algorithm, at, allowed, remaining, retryAfterMs, delayMs].join(','),
    ),
  );
  return [csvColumns.join(','), ...lines, ''].join('\r\n');
}

/** Formats the reply of a run and its scenario as JSON. */
export function formatJson(scenario: Scenario, runs: readonly AlgorithmRun[]): string {
  return JSON.stringify({ query: encodeScenario(scenario).toString(), scenario, runs }, null, 2);
}
