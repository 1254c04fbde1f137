import { randomBytes } from 'node:crypto';
import { isUnavailable } from '../db/unavailable';
import { AppError, notFoundError } from '../errors';
import type { ChargeExcluded } from '../limiter/adapters/trpc';
import { StoreUnavailableError } from '../limiter/index';
import { withTimeout } from '../timers';
import { timeLeftMs } from '../trpc/deadline';
import type { CouponQueries } from './gate/coupon-queries';
import type { Gate, GateReply } from './gate/gate';
import type { KnownBuyers } from './gate/known-buyers';
import type { WaitingCalls } from './ledger/settled-orders';
import { createOrderId, endedWithoutPurchase, type Order, type PurchaseRequest } from './order';

/** The result of a purchase request. */
export type PurchaseOutcome =
  | { outcome: 'accepted' | 'already-bought'; order: Order }
  | { outcome: 'sold-out' | 'not-started' | 'ended' | 'paused' };

export interface PurchaseOptions extends PurchaseRequest {
  /** The limiter admitted the call without a charge, because it had charged this request id before. */
  isReplay?: boolean;
  /** Charges the levels that took no part in the decision; absent if all levels were charged. */
  chargeExcluded?: ChargeExcluded | undefined;
  /** The end of this call's wait for Redis, by `performance.now()`. */
  deadline: number;
}

/** Buys one coupon for one shopper. */
export type Purchase = (options: PurchaseOptions) => Promise<PurchaseOutcome>;

export interface CreatePurchaseOptions {
  gate: Gate;
  /** Rebuilds a gate without state. Returns true if it is open now. */
  ensureGate: (couponId: string) => Promise<boolean>;
  findCoupon: CouponQueries['findCoupon'];
  waitingCalls: WaitingCalls;
  buyers: KnownBuyers;
  requestDrain: (couponId: string) => void;
  /** Finds an order in Postgres. */
  findWrittenOrder: (order: { id: string; userId: string }) => Promise<Order | undefined>;
  /** Finds the order of a request id in Postgres. */
  findOrderOfRequest: (request: Required<PurchaseRequest>) => Promise<Order | undefined>;
  onOutcome: (outcome: PurchaseOutcome['outcome']) => void;
}

/** Wait of an accepted call for the confirmation of its order. */
const CONFIRM_WAIT_MS = 250;

/**
 * Creates `purchase`, which buys one coupon for one shopper. The order of an accepted call is `confirmed` if the ledger has
 * written it within 250 ms, else `reserved`.
 */
export function createPurchase(options: CreatePurchaseOptions): Purchase {
  const { gate, ensureGate, findCoupon, waitingCalls, buyers } = options;
  const { requestDrain, findWrittenOrder, findOrderOfRequest, onOutcome } = options;

  async function buy(options: PurchaseOptions): Promise<PurchaseOutcome> {
    const orderId = createOrderId(options);
    const call = waitingCalls.add(orderId);
    try {
      const reply = await sendPurchase(options, orderId);
      if (options.isReplay && reply.outcome !== 'replayed') {
        const order = await findOrderOfCall(options);
        if (order) return { outcome: 'accepted', order };
      }
      switch (reply.outcome) {
        case 'accepted': {
          requestDrain(options.couponId);
          const settled = await call.waitForOrder(CONFIRM_WAIT_MS);
          // The ledger refused this order. The reason may be an earlier order of the same request id.
          if (settled && endedWithoutPurchase(settled)) {
            const order = await findOrderOfCall(options);
            return order ? { outcome: 'accepted', order } : { outcome: 'paused' };
          }
          return { outcome: 'accepted', order: settled ?? toReservedOrder(options, reply.order) };
        }
        case 'replayed':
        case 'already-bought': {
          const order =
            (await withinConfirmWait(findWrittenOrder({ id: reply.order.id, userId: options.userId }))) ??
            toReservedOrder(options, reply.order);
          // The ledger has ended this order, and its stock is on the way to the gate.
          if (reply.outcome === 'already-bought' && endedWithoutPurchase(order)) return { outcome: 'paused' };
          return { outcome: reply.outcome === 'replayed' ? 'accepted' : 'already-bought', order };
        }
        case 'behind':
          requestDrain(options.couponId);
          return { outcome: 'paused' };
        case 'missing':
        case 'stale':
        case 'spent':
        case 'could-buy':
          return { outcome: 'paused' };
        case 'other-kind':
          throw otherKindError(options);
        default:
          return reply;
      }
    } finally {
      call.cancel();
    }
  }

  /**
   * Sends the purchase to the gate. A call that was decided without a level first peeks. If the gate would accept it, the
   * call charges that level and then buys.
   */
  async function sendPurchase(options: PurchaseOptions, orderId: string): Promise<GateReply> {
    const { kind, isReplay = false, chargeExcluded, deadline } = options;
    const code = createCode();
    // A shopper may hold several orders of a claim coupon, and no level of its policy is shared.
    const known = kind === 'seckill' ? buyers : undefined;
    const send = (isPeek: boolean) => () => gate.purchase({ ...options, orderId, isReplay, code, isPeek });
    try {
      if (!chargeExcluded) known?.addCharged(options);
      let reply = await sendToOpenGate(options, send(chargeExcluded !== undefined));
      if (chargeExcluded && reply.outcome === 'could-buy') {
        known?.remove(options);
        await chargeExcluded({ timeoutMs: timeLeftMs(deadline) });
        known?.addCharged(options);
        reply = await send(false)();
      }
      if ('order' in reply) known?.addOrder(options);
      return reply;
    } catch (cause) {
      if (!(cause instanceof StoreUnavailableError)) throw cause;
      // A peek costs two more round trips: at a slow store the next call would fail again.
      known?.remove(options);
      throw new AppError('SERVICE_UNAVAILABLE', 'The sale is unavailable right now.', { cause });
    }
  }

  /** Sends to the gate. If the gate has no state or an old one, rebuilds it and sends again. */
  async function sendToOpenGate(
    { couponId, kind, deadline }: PurchaseOptions,
    send: () => Promise<GateReply>,
  ): Promise<GateReply> {
    const reply = await send();
    if (reply.outcome !== 'missing' && reply.outcome !== 'stale') return reply;
    const coupon = await findCoupon(couponId);
    if (coupon === undefined) throw notFoundError('coupon', couponId);
    if (coupon.kind !== kind) throw otherKindError({ kind });
    if (coupon.hasEnded) return { outcome: 'ended' };
    // A slower rebuild continues without this call, and the next call finds the gate.
    const isOpen = await withTimeout(ensureGate(couponId), timeLeftMs(deadline), () => false);
    return isOpen ? await send() : reply;
  }

  /** Finds the order of a call's request id; undefined for a call without one. */
  async function findOrderOfCall({ requestId, ...options }: PurchaseOptions): Promise<Order | undefined> {
    if (requestId === undefined) return undefined;
    return withinConfirmWait(findOrderOfRequest({ ...options, requestId }));
  }

  /** Resolves to undefined if Postgres is unavailable or too slow. */
  async function withinConfirmWait(read: Promise<Order | undefined>): Promise<Order | undefined> {
    try {
      return await withTimeout(read, CONFIRM_WAIT_MS, () => undefined);
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  }

  return async function purchase(options) {
    const result = await buy(options);
    onOutcome(result.outcome);
    return result;
  };
}

function toReservedOrder(
  { couponId, userId }: PurchaseOptions,
  { id, createdAt }: { id: string; createdAt: number },
): Order {
  return { id, couponId, userId, status: 'reserved', createdAt };
}

function otherKindError({ kind }: Pick<PurchaseOptions, 'kind'>): AppError {
  const other =
    kind === 'seckill' ? 'a claim, which coupon.claim gives' : 'a seckill, which coupon.seckill sells';
  return new AppError('BAD_REQUEST', `couponId: is ${other}`);
}

/** Letters and digits that are hard to confuse. 32^10, about 10^15 codes. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

function createCode(): string {
  return Array.from(randomBytes(10), (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]).join('');
}
