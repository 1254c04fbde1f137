import type { AlertRule } from './alert';
import type { Thresholds } from './hysteresis';

export interface Rule extends Thresholds {
  /** Returns one sentence with the target and the value. */
  summary: (of: { target: string; value: number }) => string;
}

/** The thresholds of all rules. */
export const rules = {
  /** Refused share of a policy's calls in the last 30 s, from 0 to 1; 0 with fewer than one call per second. */
  'refused-share': {
    ...{ raiseAt: 0.9, forMs: 5_000, clearAt: 0.7, clearMs: 10_000 },
    summary: ({ target, value }) => `${Math.round(value * 100)} % of the calls of ${target} are refused.`,
  },
  /** 1 if a store does not answer, else 0. */
  'store-down': {
    ...{ raiseAt: 1, forMs: 3_000, clearAt: 1, clearMs: 5_000 },
    summary: ({ target }) => `${target} does not answer.`,
  },
  /** Age of the oldest order that is not in Postgres, in ms. At 15 s the gates pause. */
  'ledger-lag': {
    ...{ raiseAt: 12_000, forMs: 2_000, clearAt: 3_000, clearMs: 5_000 },
    summary: ({ value }) => `The oldest order that is not in Postgres is ${Math.round(value / 1000)} s old.`,
  },
  /** Number of sales with a mismatch that the auditor could not heal. */
  'auditor-mismatch': {
    ...{ raiseAt: 1, forMs: 5_000, clearAt: 1, clearMs: 10_000 },
    summary: ({ value }) => `Sales with a mismatch that an operator has to check: ${value}.`,
  },
} as const satisfies Record<AlertRule, Rule>;
