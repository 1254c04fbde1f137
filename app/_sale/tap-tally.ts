import type { Problem } from '../_trpc/problem';
import type { PurchaseReply, RefusalData } from '../_trpc/types';

/** What became of one of many clicks. */
export type TapFate = { reply: PurchaseReply } | { problem: Problem };

/** What became of all of them. */
export interface TapTally {
  total: number;
  /** Calls that the limits let through, whatever came of them. */
  admitted: number;
  /** Calls that a limit refused. */
  refused: number;
  /** Calls that got neither: no answer, or a fault. */
  failed: number;
  /** The clicks bought one. */
  bought: boolean;
  /** The rules that refused, each once, the one that refused most first. */
  rules: Pick<RefusalData, 'level' | 'algorithm' | 'limit' | 'windowMs'>[];
  /** From the last refusal; `undefined` where none was refused. */
  retryAfterMs: number | undefined;
}

/** Counts fates in the order in which they became known. */
export function tallyTaps(fates: TapFate[]): TapTally {
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
    .filter(({ level }, place) => refusals.findIndex((other) => other.level === level) === place)
    .toSorted((a, b) => count(b.level) - count(a.level));
}
