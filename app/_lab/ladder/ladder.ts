import type { RefusalData } from '../../_trpc/types';

/** What the policy of the button says; a test holds it against the policy itself. */
export const ladderRule = {
  limit: 3,
  windowMs: 10_000,
  warnAt: 2,
  banAt: 4,
  banMs: 20_000,
  lapseMs: 15_000,
} as const;

/** What became of one tap. `at` is an instant of the visitor's own clock, in ms. */
export type TapAnswer =
  | { at: number; outcome: 'admitted' }
  | { at: number; outcome: 'refused' | 'warned' | 'banned'; violations: number; retryAfterMs: number };

export function answerOf(at: number, refusal: RefusalData): TapAnswer {
  const { reason, warning, violations = 0, retryAfterMs } = refusal;
  const outcome = reason === 'banned' ? 'banned' : warning ? 'warned' : 'refused';
  return { at, outcome, violations, retryAfterMs };
}

/** How a visitor stands on the ladder. */
export interface Standing {
  /** The rung: violations that count now. */
  violations: number;
  /** When the ban ends; undefined where there is none. */
  bannedUntil: number | undefined;
  /** When the violations lapse; undefined where there are none, or a ban keeps them. */
  lapsesAt: number | undefined;
  /** When a tap is admitted again; undefined where one is now. */
  openAt: number | undefined;
}

/** Reads the newest answers, oldest first. Violations lapse together after the last, and a ban that ends clears them. */
export function standingAt(now: number, answers: readonly TapAnswer[]): Standing {
  const last = answers.filter((answer) => answer.outcome !== 'admitted').at(-1);
  const clear = { violations: 0, bannedUntil: undefined, lapsesAt: undefined, openAt: undefined };
  if (!last) return clear;
  const openAt = last.at + last.retryAfterMs;
  if (last.outcome === 'banned') {
    return now < openAt
      ? { violations: ladderRule.banAt, bannedUntil: openAt, lapsesAt: undefined, openAt }
      : clear;
  }
  const lapsesAt = last.at + ladderRule.lapseMs;
  const violations = now < lapsesAt ? last.violations : 0;
  return {
    violations,
    bannedUntil: undefined,
    lapsesAt: violations > 0 ? lapsesAt : undefined,
    openAt: now < openAt ? openAt : undefined,
  };
}
