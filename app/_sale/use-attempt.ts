import { useViewer } from '../_shell/viewer-provider';
import { useTRPCClient } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { Coupon, PurchaseReply } from '../_trpc/types';

export interface Click {
  kind: Coupon['kind'];
  couponId: string;
  requestId: string;
}

interface Attempts {
  /** A demo visitor who is nobody yet becomes somebody; elsewhere nothing happens. */
  enter(): Promise<void>;
  /**
   * The call of a click. A reply that was lost on its way is asked for once more under the same request id, which
   * neither charges nor buys twice.
   */
  call(click: Click): Promise<PurchaseReply>;
  /** One click from beginning to end: enters, calls, and enters anew where the session has lapsed. */
  attempt(click: Click): Promise<PurchaseReply>;
}

/** The road that every click of a shopper takes. */
export function useAttempt(): Attempts {
  const client = useTRPCClient();
  const { user, demo, signInDemo } = useViewer();

  async function enter(): Promise<void> {
    if (demo && !user) await signInDemo();
  }

  async function call({ kind, ...input }: Click): Promise<PurchaseReply> {
    const { seckill, claim } = client.coupon;
    const send = () => (kind === 'seckill' ? seckill.mutate(input) : claim.mutate(input));
    try {
      return await send();
    } catch (error) {
      if (problemOf(error).kind !== 'lost') throw error;
      return await send();
    }
  }

  async function attempt(click: Click): Promise<PurchaseReply> {
    await enter();
    try {
      return await call(click);
    } catch (error) {
      if (problemOf(error).kind !== 'signed-out' || !demo) throw error;
      await signInDemo();
      return await call(click);
    }
  }

  return { enter, call, attempt };
}
