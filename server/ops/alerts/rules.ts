/** The names of the alert rules. */
export const alertRules = [
  'refused-share',
  'store-down',
  'slow-decisions',
  'ledger-lag',
  'auditor-mismatch',
] as const;

type AlertRule = (typeof alertRules)[number];

/** The thresholds at which a value raises and clears an alert. */
export interface Thresholds {
  /** The alert is raised if the value is at least this for `forMs`. */
  raiseAt: number;
  /** Time for which the value must stay at or above `raiseAt`, in ms. */
  forMs: number;
  /** The alert is cleared if the value is below this for `clearMs`. At most `raiseAt`. */
  clearAt: number;
  /** Time for which the value must stay below `clearAt`, in ms. */
  clearMs: number;
}

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
  /** 2 if a store does not answer, 1 if it is slow: its check had no result in time; else 0. */
  'store-down': {
    ...{ raiseAt: 1, forMs: 3_000, clearAt: 1, clearMs: 5_000 },
    summary: ({ target, value }) => `${target} ${value === 1 ? 'is slow' : 'does not answer'}.`,
  },
  /** p99 of the decision time of the last minute, in ms; 0 with fewer than 100 decisions. As the alert DecisionsSlow. */
  'slow-decisions': {
    ...{ raiseAt: 100, forMs: 300_000, clearAt: 100, clearMs: 60_000 },
    summary: ({ value }) => `One decision in a hundred takes ${Math.round(value)} ms or more.`,
  },
  /** Age of the oldest order that is not in Postgres, in ms. At 15 s the gates pause. */
  'ledger-lag': {
    ...{ raiseAt: 12_000, forMs: 2_000, clearAt: 3_000, clearMs: 5_000 },
    summary: ({ value }) => `The oldest order that is not in Postgres is ${Math.round(value / 1000)} s old.`,
  },
  /** Number of sales with a mismatch that the auditor could not repair. */
  'auditor-mismatch': {
    ...{ raiseAt: 1, forMs: 5_000, clearAt: 1, clearMs: 10_000 },
    summary: ({ value }) => `Sales with a mismatch that an operator has to check: ${value}.`,
  },
} as const satisfies Record<AlertRule, Rule>;

/** An active or cleared alert. Instants in epoch ms. */
export interface Alert {
  /** Unique id, the same when the alert is raised and when it clears. */
  id: string;
  rule: AlertRule;
  /** The measured object: a policy, a store (`redis`, `postgres`), or '' for the whole fleet. */
  target: string;
  raisedAt: number;
  /** Since when the value was at least `raiseAt` when the alert was raised. */
  highSince: number;
  /** Since when the value is below `clearAt`. Absent while it is not. */
  normalSince?: number | undefined;
  /** Absent while the alert is active. */
  clearedAt?: number | undefined;
  /** The last value, in the unit of the threshold. */
  value: number;
  /** The value that raises the alert. */
  threshold: number;
  /** The highest value of each span since the alert was raised, oldest first, at most 40. */
  values: number[];
  /** Length of a span, in ms. It doubles when the list is full. */
  spanMs: number;
  /** English text for the log and the webhook. Pages have their own texts. */
  summary: string;
}

/** The active alerts and the newest cleared ones. */
export interface AlertBoard {
  active: Alert[];
  /** Cleared alerts, newest first, at most 50. */
  recent: Alert[];
}

/** The state of a rule. Instants in epoch ms. */
export type RuleState =
  | { phase: 'quiet' }
  /** High since then, for less than `forMs`. */
  | { phase: 'rising'; since: number }
  | { phase: 'raised' }
  /** Low since then, for less than `clearMs`. */
  | { phase: 'falling'; since: number };

interface Transition {
  state: RuleState;
  change?: 'raised' | 'cleared';
}

/**
 * Returns the next state. A value between `clearAt` and `raiseAt` changes no alert and restarts the wait, so a value that
 * oscillates there raises no second alert. An unknown value changes nothing.
 */
export function nextRuleState(
  current: RuleState,
  { raiseAt, forMs, clearAt, clearMs }: Thresholds,
  { value, now }: { value: number | undefined; now: number },
): Transition {
  if (value === undefined) return { state: current };
  switch (current.phase) {
    case 'quiet':
    case 'rising': {
      if (value < raiseAt) return { state: { phase: 'quiet' } };
      const since = current.phase === 'rising' ? notLater(current.since, now) : now;
      if (now - since < forMs) return { state: { phase: 'rising', since } };
      return { state: { phase: 'raised' }, change: 'raised' };
    }
    case 'raised':
    case 'falling': {
      if (value >= clearAt) return { state: { phase: 'raised' } };
      const since = current.phase === 'falling' ? notLater(current.since, now) : now;
      if (now - since < clearMs) return { state: { phase: 'falling', since } };
      return { state: { phase: 'quiet' }, change: 'cleared' };
    }
  }
}

/** Limits an instant to now. A future instant comes from the clock of another Redis, and restarts the wait. */
function notLater(since: number, now: number): number {
  return Math.min(since, now);
}
