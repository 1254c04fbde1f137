import type { AlertRule } from './alert';
import type { Thresholds } from './hysteresis';

export interface Rule extends Thresholds {
  /** One sentence: of what, and how much. */
  summary: (of: { target: string; value: number }) => string;
}

/** What raises an alert, and what clears it. */
export const rules = {
  /** Of a policy's calls in the last 30 s, from 0 to 1; 0 where there were fewer than one a second. */
  'refused-share': {
    ...{ raiseAt: 0.9, forMs: 5_000, clearAt: 0.7, clearMs: 10_000 },
    summary: ({ target, value }) => `${Math.round(value * 100)} % of the calls of ${target} are refused.`,
  },
  /** 1 where a store does not answer, else 0. */
  'store-down': {
    ...{ raiseAt: 1, forMs: 3_000, clearAt: 1, clearMs: 5_000 },
    summary: ({ target }) => `${target} does not answer.`,
  },
  /** Age of the oldest order that is not in Postgres, in ms. At 15 s the gates pause. */
  'ledger-lag': {
    ...{ raiseAt: 12_000, forMs: 2_000, clearAt: 3_000, clearMs: 5_000 },
    summary: ({ value }) => `The oldest order that is not in Postgres is ${Math.round(value / 1000)} s old.`,
  },
  /** Sales that the auditor finds not to add up and could not heal. */
  'auditor-mismatch': {
    ...{ raiseAt: 1, forMs: 5_000, clearAt: 1, clearMs: 10_000 },
    summary: ({ value }) => `Sales that do not add up, for a person to look at: ${value}.`,
  },
} as const satisfies Record<AlertRule, Rule>;
