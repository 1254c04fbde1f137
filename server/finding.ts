/** The codes of the findings that pages translate. */
export type FindingCode =
  | 'not-checked-yet'
  | 'slow'
  | 'answers'
  | 'no-answer'
  | 'error-reply'
  | 'breaker'
  | 'error-replies'
  | 'no-error-replies'
  | 'lag'
  | 'lag-too-long'
  | 'no-audit-yet'
  | 'no-audit'
  | 'audited'
  | 'repairing'
  | 'mismatch'
  | 'no-clock-step'
  | 'clock-step'
  | 'settings-ok'
  | 'setting-eviction'
  | 'setting-coverage';

/** One result of a check as data, so that a page can show it in its language. `Health.detail` has all findings in English. */
export interface Finding {
  code: FindingCode;
  /** The values in the sentence. */
  values?: Record<string, string | number>;
}

/** The result of a check. */
export interface Health {
  ok: boolean;
  /** A few words for an operator: the fault, or the state. */
  detail: string;
  /** Absent if the check itself failed. `/readyz` leaves it out. */
  findings?: Finding[];
}

/** Returns true if a check had no result in time. Its dependency may be slow, or not respond at all. */
export function isSlow({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'slow') ?? false;
}

/** Returns the names of the failing checks. A check without a result yet does not fail. */
export function listFailing(checks: Record<string, Health>): string[] {
  return Object.entries(checks)
    .filter(([, { ok, findings }]) => !ok && !findings?.some(({ code }) => code === 'not-checked-yet'))
    .map(([name]) => name);
}
