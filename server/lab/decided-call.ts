import type { Decision } from '../limiter';

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

/** The call that a decision of a policy with one level is about. */
export function decidedCall(at: number, decision: Decision): DecidedCall {
  const [level] = decision.levels;
  return {
    at,
    allowed: decision.allowed,
    remaining: level?.remaining ?? 0,
    retryAfterMs: level?.retryAfterMs ?? 0,
    delayMs: decision.allowed ? decision.delayMs : 0,
  };
}
