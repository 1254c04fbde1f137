import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { rememberOrder } from '../_orders/use-orders';
import { newRequestId } from '../_shell/request-id';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { isCallError, isOfOtherUser, type Problem, problemOf, resendIfLost } from '../_trpc/problem';
import type { Coupon, PurchaseReply, User } from '../_trpc/types';
import { nameOf } from '../_trpc/user';
import { useViewer } from '../_viewer/viewer-provider';
import { recordRefusal, useRefusalStores } from '../_window/refusals';

/** The result of the last click. */
export type PurchaseResult =
  | { kind: 'none' }
  | { kind: 'reply'; reply: PurchaseReply }
  /** `isJoin`: the click requested a place in the queue. */
  | { kind: 'problem'; problem: Problem; isJoin?: boolean }
  /** The shopper waits for as many coupons as one may. */
  | { kind: 'too-many-tickets' };

export interface Purchase {
  /** Sends one click with a new request id. */
  press(): Promise<void>;
  /** Sends one click that waits in the queue if the shared window is full. */
  join(): Promise<void>;
  busy: boolean;
  result: PurchaseResult;
}

const none: PurchaseResult = { kind: 'none' };

/**
 * Buys a coupon. The result of a click stays until the next result, or until the next round opens. While `isOutage`, no call
 * can be decided; the end of an outage removes the result of a click that failed because of it.
 */
export function usePurchase(
  { id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>,
  isOutage: boolean,
): Purchase {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { signIn, call } = usePurchaseCalls();
  const refusals = useRefusalStores();
  const [last, setLast] = useState({ couponId, result: none });
  const result = last.couponId === couponId ? last.result : none;
  // Not a mutation of React Query: its state would arrive a frame after the click.
  const [busy, setBusy] = useState(false);
  const [wasOutage, setWasOutage] = useState(isOutage);

  if (wasOutage !== isOutage) {
    setWasOutage(isOutage);
    if (wasOutage && isCausedByOutage(result)) setLast({ couponId, result: none });
  }

  async function send(queue: boolean): Promise<PurchaseResult> {
    try {
      const click = { kind, couponId, queue, requestId: newRequestId() };
      return { kind: 'reply', reply: await call(click, await signIn()) };
    } catch (error) {
      const problem = problemOf(error);
      if (problem.kind === 'refused') recordRefusal({ ...problem.refusal, count: 1 }, refusals);
      // The request id is new, so a join of the shown user conflicts by the number of tickets only.
      const isConflict = isCallError(error) && error.data?.code === 'CONFLICT' && !isOfOtherUser(error);
      return queue && isConflict ? { kind: 'too-many-tickets' } : { kind: 'problem', problem, isJoin: queue };
    } finally {
      void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
    }
  }

  async function click(queue: boolean): Promise<void> {
    setBusy(true);
    await waitForPaint();
    setLast({ couponId, result: await send(queue) });
    setBusy(false);
  }

  return { press: () => click(false), join: () => click(true), busy, result };
}

/** Returns true for a click without a decision, and for one that found the sale paused. */
export function isCausedByOutage(result: PurchaseResult): boolean {
  if (result.kind === 'reply') return result.reply.outcome === 'paused';
  if (result.kind !== 'problem') return false;
  return result.problem.kind === 'unavailable' || result.problem.kind === 'lost';
}

/** A click on a coupon. */
interface Click {
  kind: Coupon['kind'];
  couponId: string;
  requestId: string;
  /** The call waits in the queue if the shared window is full. */
  queue: boolean;
}

interface PurchaseCalls {
  /** Returns the user that the page shows. Signs an anonymous demo visitor in as a new shopper. */
  signIn(): Promise<User | null>;
  /** Sends the call of a user's click, and again if the reply was lost. The same request id never charges or buys twice. */
  call(click: Click, user: User | null): Promise<PurchaseReply>;
}

/** Returns the calls that clicks of a shopper send. */
export function usePurchaseCalls(): PurchaseCalls {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { seckill, claim } = useTRPCClient().coupon;
  const { user, demo, signInDemo } = useViewer();
  return {
    signIn: async () => (demo && !user ? signInDemo() : user),
    async call({ kind, queue, ...input }, shopper) {
      const options = { context: { userName: nameOf(shopper) } };
      const reply = await resendIfLost<PurchaseReply>(() =>
        kind === 'seckill'
          ? seckill.mutate({ ...input, ...(queue && { queue }) }, options)
          : claim.mutate(input, options),
      );
      if ('order' in reply) await rememberOrder(reply.order, { trpc, queryClient });
      if ('ticket' in reply) void queryClient.invalidateQueries(trpc.queue.mine.queryFilter());
      return reply;
    },
  };
}

/** In a hidden tab there are no frames. */
const MAX_FRAME_MS = 100;

/** Resolves when the browser has painted the current state. */
function waitForPaint(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_FRAME_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      // A task after the frame's callbacks runs after its paint.
      setTimeout(resolve);
    });
  });
}
