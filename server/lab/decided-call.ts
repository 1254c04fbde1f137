import type { Decision } from '../limiter/index';

/** The decision on one arrival, with the values that its caller receives. */
export interface DecidedCall {
  /** Arrival time in ms on the experiment's clock. */
  at: number;
  allowed: boolean;
  /** Units that the limiter would still admit at that time. */
  remaining: number;
  /** Time until the level admits one unit, exact to the millisecond without other calls; 0 if it admits one. */
  retryAfterMs: number;
  /** Wait of an admitted call in a leaky bucket's queue. 0 for every other algorithm. */
  delayMs: number;
}

/** Totals over the decisions of a run, or of one side of a comparison. */
export interface Outcome {
  /** Ascending by time. */
  decisions: DecidedCall[];
  admitted: number;
  refused: number;
  /** Largest number of admissions in any (t - windowMs, t]. */
  worstWindow: number;
  /** Earliest end of that window, in ms on the experiment's clock. Null if nothing was admitted. */
  worstWindowEndsAt: number | null;
}

/** Reduces a decision to the level that refused, or to the tightest level of an admitted call. */
export function toDecidedCall(at: number, decision: Decision): DecidedCall {
  const level = decision.allowed
    ? decision.levels.reduce((one, other) => (other.remaining < one.remaining ? other : one))
    : decision.refusedBy;
  return {
    at,
    allowed: decision.allowed,
    remaining: level.remaining,
    retryAfterMs: level.retryAfterMs ?? 0,
    delayMs: decision.allowed ? decision.delayMs : 0,
  };
}

/** Counts admitted and refused calls, and finds the window of `windowMs` with the most admitted ones. */
export function summarizeDecisions(decisions: DecidedCall[], windowMs: number): Outcome {
  const admitted = decisions.filter(({ allowed }) => allowed).map(({ at }) => at);
  const { count, endsAt } = worstWindow(admitted, windowMs);
  return {
    decisions,
    admitted: admitted.length,
    refused: decisions.length - admitted.length,
    worstWindow: count,
    worstWindowEndsAt: endsAt,
  };
}

/** The fullest window of a list of times. */
export interface WorstWindow {
  /** The largest count in any (t - windowMs, t]. */
  count: number;
  /** The earliest such t, which is one of the times. Null for an empty list. */
  endsAt: number | null;
}

/** Finds the fullest (t - windowMs, t]. The times may be in any order. */
export function worstWindow(instants: readonly number[], windowMs: number): WorstWindow {
  const ordered = instants.toSorted((one, other) => one - other);
  let worst: WorstWindow = { count: 0, endsAt: null };
  let first = 0;
  ordered.forEach((endsAt, index) => {
    while ((ordered[first] ?? endsAt) <= endsAt - windowMs) first += 1;
    const count = index - first + 1;
    if (count > worst.count) worst = { count, endsAt };
  });
  return worst;
}
