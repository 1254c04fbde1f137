import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon, PurchaseReply } from '../_trpc/types';
import { useRecordRefusal } from '../_window/refusals';
import type { TapTally } from './tap-tally';
import { useAttempt } from './use-attempt';

/** The result of the last click. */
export type PurchaseResult =
  | { kind: 'none' }
  | { kind: 'reply'; reply: PurchaseReply }
  | { kind: 'problem'; problem: Problem }
  /** Many clicks at once. */
  | { kind: 'taps'; tally: TapTally };

interface Purchase {
  /** Sends one click with a new request id. */
  press(): void;
  /** Records the result of clicks made elsewhere. */
  setResult(result: PurchaseResult): void;
  busy: boolean;
  result: PurchaseResult;
}

const none: PurchaseResult = { kind: 'none' };

/** Buys a coupon. The result of a click stays until the next result, or until the next round opens. */
export function usePurchase({ id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>): Purchase {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { attempt } = useAttempt();
  const [last, setLast] = useState({ couponId, result: none });
  const noteRefusal = useRecordRefusal();

  const { mutate, isPending } = useMutation({
    mutationFn: () => attempt({ kind, couponId, requestId: newRequestId() }),
    onSuccess: (reply) => setResult({ kind: 'reply', reply }),
    onError: (error) => setResult({ kind: 'problem', problem: problemOf(error) }),
    onSettled() {
      void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
    },
  });

  function setResult(next: PurchaseResult): void {
    setLast({ couponId, result: next });
    const refusal = refusalIn(next, `coupon.${kind}`);
    if (refusal) noteRefusal(refusal);
  }

  const result = last.couponId === couponId ? last.result : none;
  return { press: () => mutate(), setResult, busy: isPending, result };
}

/** Returns the limit that refused; of many clicks, the most frequent one. `undefined` without a refusal. */
function refusalIn(result: PurchaseResult, policy: string) {
  if (result.kind === 'problem' && result.problem.kind === 'refused') {
    return { ...result.problem.refusal, count: 1 };
  }
  if (result.kind !== 'taps') return undefined;
  const { rules, retryAfterMs, refused } = result.tally;
  const [rule] = rules;
  return rule && retryAfterMs !== undefined ? { ...rule, policy, retryAfterMs, count: refused } : undefined;
}
