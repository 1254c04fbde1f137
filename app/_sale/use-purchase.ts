import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useViewer } from '../_shell/viewer-provider';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { type Problem, problemOf, resendIfLost } from '../_trpc/problem';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon, PurchaseReply, RefusalData } from '../_trpc/types';
import { useRecordRefusal } from '../_window/refusals';

/** The result of the last click. */
export type PurchaseResult =
  | { kind: 'none' }
  | { kind: 'reply'; reply: PurchaseReply }
  | { kind: 'problem'; problem: Problem }
  /** A burst of clicks. */
  | { kind: 'taps'; tally: TapTally };

/** The clicks of one burst: enough to exceed the visitor's own limit. */
export const TAP_COUNT = 20;

/** The results of a burst of clicks. */
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
  levels: Pick<RefusalData, 'level' | 'algorithm' | 'limit' | 'windowMs'>[];
  /** The wait of the last refusal; `undefined` without one. */
  retryAfterMs: number | undefined;
}

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
  const recordRefusal = useRecordRefusal();

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
    const refusal = findRefusal(next, `coupon.${kind}`);
    if (refusal) recordRefusal(refusal);
  }

  const result = last.couponId === couponId ? last.result : none;
  return { press: () => mutate(), setResult, busy: isPending, result };
}

/** Returns the limit that refused; of a burst, the most frequent one. `undefined` without a refusal. */
function findRefusal(result: PurchaseResult, policy: string) {
  if (result.kind === 'problem' && result.problem.kind === 'refused') {
    const { bannedUntil, ...refusal } = result.problem.refusal;
    return { ...refusal, bannedUntil: bannedUntil ?? undefined, count: 1 };
  }
  if (result.kind !== 'taps') return undefined;
  const { levels, retryAfterMs, refused } = result.tally;
  const [level] = levels;
  return level && retryAfterMs !== undefined ? { ...level, policy, retryAfterMs, count: refused } : undefined;
}

interface Click {
  kind: Coupon['kind'];
  couponId: string;
  requestId: string;
}

interface Attempts {
  /** Signs an anonymous demo visitor in as a new shopper; does nothing otherwise. */
  signIn(): Promise<void>;
  /** Sends the call of a click, and again if the reply was lost. The same request id never charges or buys twice. */
  call(click: Click): Promise<PurchaseReply>;
  /** Handles a whole click: signs in, calls, and signs in again if the session has expired. */
  attempt(click: Click): Promise<PurchaseReply>;
}

/** Returns the functions that handle the clicks of a shopper. */
export function useAttempt(): Attempts {
  const client = useTRPCClient();
  const { user, demo, signInDemo } = useViewer();

  async function signIn(): Promise<void> {
    if (demo && !user) await signInDemo();
  }

  async function call({ kind, ...input }: Click): Promise<PurchaseReply> {
    const { seckill, claim } = client.coupon;
    return resendIfLost<PurchaseReply>(() => (kind === 'seckill' ? seckill : claim).mutate(input));
  }

  async function attempt(click: Click): Promise<PurchaseReply> {
    await signIn();
    try {
      return await call(click);
    } catch (error) {
      if (problemOf(error).kind !== 'signed-out' || !demo) throw error;
      await signInDemo();
      return await call(click);
    }
  }

  return { signIn, call, attempt };
}
