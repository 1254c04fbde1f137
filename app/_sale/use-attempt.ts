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
  /** Signs an anonymous demo visitor in as a new shopper; does nothing otherwise. */
  signIn(): Promise<void>;
  /**
   * Sends the call of a click. A lost reply is requested once more with the same request id, which neither charges
   * nor buys twice.
   */
  call(click: Click): Promise<PurchaseReply>;
  /** Handles a whole click: signs in, calls, and signs in again if the session has expired. */
  attempt(click: Click): Promise<PurchaseReply>;
}

/** Returns the functions behind every click of a shopper. */
export function useAttempt(): Attempts {
  const client = useTRPCClient();
  const { user, demo, signInDemo } = useViewer();

  async function signIn(): Promise<void> {
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
