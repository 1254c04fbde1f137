import type { DecidedCall } from '../types';

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

/**
 * Returns the admissions in the window, the last decision and the number of queued calls at `at`, in ms of the run.
 * Decisions are ascending.
 */
export function getInstantState(
  { decisions, windowMs }: { decisions: readonly DecidedCall[]; windowMs: number },
  at: number,
): InstantState {
  const instants = decisions.map((call) => call.at);
  const admitted = decisions.filter((call) => call.allowed);
  const admittedAt = admitted.map((call) => call.at);
  const last = decisions[findIndexAfter(instants, at) - 1];
  return {
    inWindow: countInWindow(admittedAt, windowMs, at),
    last,
    queued: admitted.filter((call) => call.at <= at && call.at + call.delayMs > at).length,
  };
}
