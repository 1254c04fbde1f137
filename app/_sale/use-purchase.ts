import { useState } from 'react';
import { useRememberOrder } from '../_orders/use-orders';
import { useViewer } from '../_shell/viewer-provider';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { paintNextFrame } from '../_trpc/paint-next-frame';
import { type Problem, problemOf, resendIfLost } from '../_trpc/problem';
import { useQueryClient } from '../_trpc/query';
import { newRequestId } from '../_trpc/request-id';
import type { Coupon, PurchaseReply } from '../_trpc/types';
import { useRecordRefusal } from '../_window/refusals';

/** The result of the last click. */
export type PurchaseResult =
  | { kind: 'none' }
  | { kind: 'reply'; reply: PurchaseReply }
  | { kind: 'problem'; problem: Problem };

interface Purchase {
  /** Sends one click with a new request id. */
  press(): Promise<void>;
  /** Replaces the result of the last click. */
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

  // Not a mutation of the query library: its state would arrive a frame after the click.
  const [busy, setBusy] = useState(false);

  async function press(): Promise<void> {
    setBusy(true);
    await paintNextFrame();
    try {
      setResult({ kind: 'reply', reply: await attempt({ kind, couponId, requestId: newRequestId() }) });
    } catch (error) {
      setResult({ kind: 'problem', problem: problemOf(error) });
    }
    setBusy(false);
    void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
  }

  function setResult(next: PurchaseResult): void {
    setLast({ couponId, result: next });
    if (next.kind === 'problem' && next.problem.kind === 'refused') {
      recordRefusal({ ...next.problem.refusal, count: 1 });
    }
  }

  const result = last.couponId === couponId ? last.result : none;
  return { press, setResult, busy, result };
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
  const rememberOrder = useRememberOrder();

  async function signIn(): Promise<void> {
    if (demo && !user) await signInDemo();
  }

  async function call({ kind, ...input }: Click): Promise<PurchaseReply> {
    const { seckill, claim } = client.coupon;
    const reply = await resendIfLost<PurchaseReply>(() =>
      (kind === 'seckill' ? seckill : claim).mutate(input),
    );
    if ('order' in reply) await rememberOrder(reply.order);
    return reply;
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
