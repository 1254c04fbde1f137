import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon, PurchaseReply } from '../_trpc/types';
import { useNoteRefusal } from '../_window/refusals';
import type { TapTally } from './tap-tally';
import { useAttempt } from './use-attempt';

/** What became of the last click. */
export type PurchaseResult =
  | { kind: 'none' }
  | { kind: 'reply'; reply: PurchaseReply }
  | { kind: 'problem'; problem: Problem }
  /** Many clicks at once. */
  | { kind: 'taps'; tally: TapTally };

interface Purchase {
  /** One click: one request id. */
  press(): void;
  /** Takes note of what became of clicks that were made elsewhere. */
  tell(result: PurchaseResult): void;
  busy: boolean;
  result: PurchaseResult;
}

const none: PurchaseResult = { kind: 'none' };

/**
 * Buys one coupon, click by click. What became of a click stays to be read until the next one has its answer, or until
 * the next round of the coupon has opened.
 */
export function usePurchase({ id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>): Purchase {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { attempt } = useAttempt();
  const [last, setLast] = useState({ couponId, result: none });
  const noteRefusal = useNoteRefusal();

  const { mutate, isPending } = useMutation({
    mutationFn: () => attempt({ kind, couponId, requestId: newRequestId() }),
    onSuccess: (reply) => tell({ kind: 'reply', reply }),
    onError: (error) => tell({ kind: 'problem', problem: problemOf(error) }),
    onSettled() {
      void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
    },
  });

  function tell(next: PurchaseResult): void {
    setLast({ couponId, result: next });
    const refusal = refusalIn(next, `coupon.${kind}`);
    if (refusal) noteRefusal(refusal);
  }

  const result = last.couponId === couponId ? last.result : none;
  return { press: () => mutate(), tell, busy: isPending, result };
}

/** The rule that refused; of many clicks, the one that refused most. `undefined` where none did. */
function refusalIn(result: PurchaseResult, policy: string) {
  if (result.kind === 'problem' && result.problem.kind === 'refused') {
    return { ...result.problem.refusal, count: 1 };
  }
  if (result.kind !== 'taps') return undefined;
  const { rules, retryAfterMs, refused } = result.tally;
  const [rule] = rules;
  return rule && retryAfterMs !== undefined ? { ...rule, policy, retryAfterMs, count: refused } : undefined;
}
