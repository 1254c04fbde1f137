/** The alert rules. `rules.ts` has their thresholds. */
export const alertRules = ['refused-share', 'store-down', 'ledger-lag', 'auditor-mismatch'] as const;
export type AlertRule = (typeof alertRules)[number];

/** An active or cleared alert. Instants in epoch ms. */
export interface Alert {
  /** Unique id, the same when the alert is raised and when it clears. */
  id: string;
  rule: AlertRule;
  /** The measured object: a policy, a store (`redis`, `postgres`), or '' for the whole fleet. */
  target: string;
  raisedAt: number;
  /** Absent while the alert is active. */
  clearedAt?: number | undefined;
  /** The value at the last change: when the alert was raised or cleared. In the unit of the threshold. */
  value: number;
  /** The value that raises the alert. */
  threshold: number;
  /** English text for the log and the webhook. Pages have their own texts. */
  summary: string;
}

/** The active alerts and the newest cleared ones. */
export interface AlertBoard {
  active: Alert[];
  /** Cleared alerts, newest first, at most 50. */
  recent: Alert[];
}
