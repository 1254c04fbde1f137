import type { Decision } from '../limiter';
import { worstWindow } from './worst-window';

/** What became of one arrival, as its caller would be told. */
export interface DecidedCall {
  /** The arrival's instant, in ms on the lab's clock, as it was given. */
  at: number;
  allowed: boolean;
  /** Units that would still be admitted at that instant. */
  remaining: number;
  /** 0 where a unit fits; else nothing happening meanwhile, 1 ms earlier is refused and then admitted. */
  retryAfterMs: number;
  /** How long an admitted call waits for its turn in a leaky bucket; else 0. */
  delayMs: number;
}

/** What the decisions of a run or of one side of a comparison come to. */
export interface Outcome {
  /** In the order of time. */
  decisions: DecidedCall[];
  admitted: number;
  refused: number;
  /** The most that were admitted in any (t - windowMs, t]. */
  worstWindow: number;
  /** The earliest t of that window, in ms on the lab's clock; null where nothing was admitted. */
  worstWindowEndsAt: number | null;
}

/** The call that a decision is about: of several levels the one that refused speaks, else the tightest. */
export function decidedCall(at: number, decision: Decision): DecidedCall {
  const level = decision.allowed
    ? decision.levels.reduce((one, other) => (other.remaining < one.remaining ? other : one))
    : decision.refusedBy;
  return {
    at,
    allowed: decision.allowed,
    remaining: level.remaining,
    retryAfterMs: level.retryAfterMs,
    delayMs: decision.allowed ? decision.delayMs : 0,
  };
}

export function outcomeOf(decisions: DecidedCall[], windowMs: number): Outcome {
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
