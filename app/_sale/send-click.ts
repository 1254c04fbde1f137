import { type OrderCache, rememberOrder } from '../_orders/remember-order';
import { newRequestId } from '../_shell/request-id';
import type { useTRPCClient } from '../_trpc/client';
import { isCallError, isOfOtherUser, type Problem, problemOf, resendIfLost } from '../_trpc/problem';
import type { Coupon, PurchaseReply } from '../_trpc/types';
import { nameOf } from '../_trpc/user';
import type { useViewer } from '../_viewer/viewer-provider';
import { type RefusalStores, recordRefusal } from '../_window/record-refusal';

/** A click on a coupon. */
interface Click {
  kind: Coupon['kind'];
  couponId: string;
  requestId: string;
  /** The call waits in the queue if the shared window is full. */
  queue?: boolean;
}

/** The stores and functions that the calls of a shopper need. */
export interface PurchaseContext extends OrderCache {
  client: ReturnType<typeof useTRPCClient>;
  viewer: Pick<ReturnType<typeof useViewer>, 'user' | 'demo' | 'signInDemo'>;
}

interface PurchaseCalls {
  /** Signs an anonymous demo visitor in as a new shopper; does nothing otherwise. */
  signIn(): Promise<void>;
  /** Sends the call of a click, and again if the reply was lost. The same request id never charges or buys twice. */
  call(click: Click): Promise<PurchaseReply>;
}

/** Creates the calls that clicks of a shopper send: as the user that the page showed at the click. */
export function createPurchaseCalls({ client, viewer, ...cache }: PurchaseContext): PurchaseCalls {
  let { user } = viewer;
  return {
    async signIn() {
      if (viewer.demo && !user) user = await viewer.signInDemo();
    },
    async call({ kind, queue, ...input }) {
      const { seckill, claim } = client.coupon;
      const options = { context: { userName: nameOf(user) } };
      const reply = await resendIfLost<PurchaseReply>(() =>
        kind === 'seckill'
          ? seckill.mutate({ ...input, ...(queue && { queue }) }, options)
          : claim.mutate(input, options),
      );
      if ('order' in reply) await rememberOrder(reply.order, cache);
      if ('ticket' in reply) void cache.queryClient.invalidateQueries(cache.trpc.queue.mine.queryFilter());
      return reply;
    },
  };
}

interface ClickedCoupon extends Pick<Coupon, 'id' | 'kind'>, Pick<Click, 'queue'> {}

/** The result of a click. `isJoin`: the click requested a place in the queue. */
export type ClickResult =
  | { kind: 'reply'; reply: PurchaseReply }
  | { kind: 'problem'; problem: Problem; isJoin?: boolean }
  /** The shopper waits for as many coupons as one may. */
  | { kind: 'too-many-tickets' };

interface Context extends PurchaseContext {
  refusals: RefusalStores;
}

/** Handles a whole click with a new request id: signs in, and calls. Records a refusal. Never throws. */
export async function sendClick(
  { id: couponId, kind, queue }: ClickedCoupon,
  { refusals, ...context }: Context,
): Promise<ClickResult> {
  const { signIn, call } = createPurchaseCalls(context);
  try {
    await signIn();
    return { kind: 'reply', reply: await call({ kind, couponId, queue, requestId: newRequestId() }) };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.kind === 'refused') recordRefusal({ ...problem.refusal, count: 1 }, refusals);
    // The request id is new, so a join of the shown user conflicts by the number of tickets only.
    const isConflict = isCallError(error) && error.data?.code === 'CONFLICT';
    if (queue && isConflict && !isOfOtherUser(error)) return { kind: 'too-many-tickets' };
    return { kind: 'problem', problem, isJoin: queue === true };
  } finally {
    void context.queryClient.invalidateQueries(context.trpc.limit.mine.queryFilter());
  }
}
