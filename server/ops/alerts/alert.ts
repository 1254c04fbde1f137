/** What is watched; `rules.ts` says when each raises and clears. */
export type AlertRule = 'refused-share' | 'store-down' | 'ledger-lag' | 'auditor-mismatch';

/** One alert, from when it was raised. Instants in epoch ms. */
export interface Alert {
  /** The same when it is raised and when it clears; no other alert's. */
  id: string;
  rule: AlertRule;
  /** What it is of: a policy, a store (`redis`, `postgres`), or '' where there is one of it. */
  target: string;
  raisedAt: number;
  /** Absent while it stands. */
  clearedAt?: number | undefined;
  /** What was measured when it was raised; since it cleared, what was measured then. In the unit of the threshold. */
  value: number;
  /** What the value had to pass. */
  threshold: number;
  /** In English, for the log and the webhook; a page says it in its own words. */
  summary: string;
}
