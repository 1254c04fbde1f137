import type { DecidedCall } from '../types';
import { countInWindow, findIndexAfter } from './window-counts';

/** The state of one algorithm at a given time. */
export interface InstantState {
  /** Admissions in the window that ends at this time. */
  inWindow: number;
  /** The latest decided call. Undefined before the first call. */
  last: DecidedCall | undefined;
  /** Admitted calls that still wait in the queue. */
  queued: number;
}

interface DecidedCalls {
  /** Ascending. */
  decisions: readonly DecidedCall[];
  windowMs: number;
}

/** Returns the hits in the window, the last decision and the number of queued calls at `at`, in ms of the run. */
export function getInstantState({ decisions, windowMs }: DecidedCalls, at: number): InstantState {
  const instants = decisions.map((call) => call.at);
  const admitted = decisions.filter((call) => call.allowed);
  const last = decisions[findIndexAfter(instants, at) - 1];
  return {
    inWindow: countInWindow(
      admitted.map((call) => call.at),
      windowMs,
      at,
    ),
    last,
    queued: admitted.filter((call) => call.at <= at && call.at + call.delayMs > at).length,
  };
}
