import type { Problem } from '../_trpc/problem';
import type { PurchaseReply, RefusalData } from '../_trpc/types';

/** The result of one of many clicks. */
export type TapResult = { reply: PurchaseReply } | { problem: Problem };

/** The results of all clicks. */
export interface TapTally {
  total: number;
  /** Calls that the limits admitted, whatever their outcome. */
  admitted: number;
  /** Calls that a limit refused. */
  refused: number;
  /** Calls without a decision: no response, or an error. */
  failed: number;
  /** A click bought the coupon. */
  bought: boolean;
  /** The limits that refused, each once, the most frequent first. */
  rules: Pick<RefusalData, 'level' | 'algorithm' | 'limit' | 'windowMs'>[];
  /** The wait of the last refusal; `undefined` without one. */
  retryAfterMs: number | undefined;
}

/** Counts results in the order of their arrival. */
export function tallyTaps(fates: TapResult[]): TapTally {
  const replies = fates.flatMap((fate) => ('reply' in fate ? [fate.reply] : []));
  const refusals = fates.flatMap((fate) =>
    'problem' in fate && fate.problem.kind === 'refused' ? [fate.problem.refusal] : [],
  );
  return {
    total: fates.length,
    admitted: replies.length,
    refused: refusals.length,
    failed: fates.length - replies.length - refusals.length,
    bought: replies.some(({ outcome }) => outcome === 'accepted'),
    rules: rulesOf(refusals),
    retryAfterMs: refusals.at(-1)?.retryAfterMs,
  };
}

function rulesOf(refusals: RefusalData[]): RefusalData[] {
  const count = (level: string) => refusals.filter((refusal) => refusal.level === level).length;
  return refusals
    .filter(({ level }, index) => refusals.findIndex((other) => other.level === level) === index)
    .toSorted((a, b) => count(b.level) - count(a.level));
}
