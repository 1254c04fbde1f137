import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { isUnavailable } from '../../db/unavailable';
import { AppError } from '../../errors';
import { type ChargeExcluded, StoreUnavailableError } from '../../limiter';
import { timeLeftMs } from '../../trpc/deadline';
import type { CouponIndex } from '../coupons/coupon-index';
import type { WaitingCalls } from '../ledger/waiting-calls';
import { isOver, type Order } from '../orders/order';
import type { Gate, GateReply } from './gate';
import type { KnownBuyers } from './known-buyers';
import { createOrderId, type PurchaseRequest } from './order-id';

/** What became of a try to buy. */
export type PurchaseOutcome =
  | { outcome: 'accepted' | 'already-bought'; order: Order }
  | { outcome: 'sold-out' | 'not-started' | 'ended' | 'paused' };

export interface PurchaseOptions extends PurchaseRequest {
  /** The limiter let the call in without charge, because it had charged this request id before. */
  isReplay?: boolean;
  /** Charges the levels that this call was decided without; absent where all were charged. */
  chargeExcluded?: ChargeExcluded | undefined;
  /** Until when this call may wait for Redis, by `performance.now()`. */
  deadline: number;
}

export interface PurchaseDeps {
  gate: Gate;
  /** Rebuilds a gate that has no state; true where it has one now. */
  ensureGate: (couponId: string) => Promise<boolean>;
  findCoupon: CouponIndex['findCoupon'];
  waitingCalls: WaitingCalls;
  buyers: KnownBuyers;
  requestDrain: (couponId: string) => void;
  /** The order as Postgres has it. */
  findWrittenOrder: (order: { id: string; userId: string }) => Promise<Order | undefined>;
  /** The order that a request id made, as Postgres has it. */
  findOrderOfRequest: (request: Required<PurchaseRequest>) => Promise<Order | undefined>;
  onOutcome: (outcome: PurchaseOutcome['outcome']) => void;
}

/** How long an accepted call waits to hear that its order is in Postgres. */
const CONFIRM_WAIT_MS = 250;

/** Buys one coupon for one shopper, or says why not. `accepted` is `confirmed` when Postgres was quick enough. */
export function createPurchase(deps: PurchaseDeps) {
  const { gate, ensureGate, findCoupon, waitingCalls, buyers } = deps;
  const { requestDrain: kickLedger, findWrittenOrder: findOrder, findOrderOfRequest, onOutcome } = deps;

  async function purchase(options: PurchaseOptions): Promise<PurchaseOutcome> {
    const orderId = createOrderId(options);
    const expectation = waitingCalls.add(orderId);
    try {
      const reply = await sendPurchase(options, orderId);
      if (options.isReplay && reply.outcome !== 'replayed') {
        const order = await writtenFor(options);
        if (order) return { outcome: 'accepted', order };
      }
      switch (reply.outcome) {
        case 'accepted': {
          kickLedger(options.couponId);
          const settled = await expectation.waitForOrder(CONFIRM_WAIT_MS);
          // The ledger refused this order. Where its request id has made another one before, that is why.
          if (settled && isOver(settled)) {
            const order = await writtenFor(options);
            return order ? { outcome: 'accepted', order } : { outcome: 'paused' };
          }
          return { outcome: 'accepted', order: settled ?? reserved(options, reply.order) };
        }
        case 'replayed':
        case 'already-bought': {
          const order =
            (await written({ id: reply.order.id, userId: options.userId })) ?? reserved(options, reply.order);
          // The ledger has let this order go, and the gate is about to hear of it.
          if (reply.outcome === 'already-bought' && isOver(order)) return { outcome: 'paused' };
          return { outcome: reply.outcome === 'replayed' ? 'accepted' : 'already-bought', order };
        }
        case 'behind':
          kickLedger(options.couponId);
          return { outcome: 'paused' };
        case 'missing':
        case 'stale':
        case 'spent':
        case 'could-buy':
          return { outcome: 'paused' };
        case 'other-kind':
          throw otherKind(options);
        default:
          return reply;
      }
    } finally {
      expectation.cancel();
    }
  }

  /**
   * Sends the purchase to the gate. A call that was decided without a level only peeks: the level is charged where the
   * gate would accept, and then the purchase is made.
   */
  async function sendPurchase(options: PurchaseOptions, orderId: string): Promise<GateReply> {
    const { kind, isReplay = false, chargeExcluded, deadline } = options;
    const code = newCode();
    // A shopper may hold several orders of a claim coupon, and no window of its policy is shared.
    const memory = kind === 'seckill' ? buyers : undefined;
    const send = (isPeek: boolean) => () => gate.purchase({ ...options, orderId, isReplay, code, isPeek });
    try {
      if (!chargeExcluded) memory?.addCharged(options);
      let reply = await sendToOpenGate(options, send(chargeExcluded !== undefined));
      if (chargeExcluded && reply.outcome === 'could-buy') {
        memory?.remove(options);
        await chargeExcluded({ timeoutMs: timeLeftMs(deadline) });
        memory?.addCharged(options);
        reply = await send(false)();
      }
      if ('order' in reply) memory?.addOrder(options);
      return reply;
    } catch (cause) {
      if (!(cause instanceof StoreUnavailableError)) throw cause;
      // A peek takes two round trips more: at a slow store the next try would fail again.
      memory?.remove(options);
      throw new AppError('SERVICE_UNAVAILABLE', 'The sale cannot be reached right now.', { cause });
    }
  }

  /** Sends to the gate. Where the gate has no state or an old one, rebuilds it and sends again. */
  async function sendToOpenGate(
    { couponId, kind, deadline }: PurchaseOptions,
    send: () => Promise<GateReply>,
  ): Promise<GateReply> {
    const reply = await send();
    if (reply.outcome !== 'missing' && reply.outcome !== 'stale') return reply;
    const known = await findCoupon(couponId);
    if (known === undefined)
      throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(couponId)}.`);
    if (known.kind !== kind) throw otherKind({ kind });
    if (known.isOver) return { outcome: 'ended' };
    // A rebuild that takes longer goes on by itself, and the next call finds the gate.
    const isOpen = await Promise.race([ensureGate(couponId), after(timeLeftMs(deadline), false)]);
    return isOpen ? await send() : reply;
  }

  /** The order as Postgres has it; undefined while it is not there, or Postgres does not answer in time. */
  function written(order: { id: string; userId: string }): Promise<Order | undefined> {
    return inTime(findOrder(order));
  }

  /** The order that the request id of a call has made; undefined likewise, and where the call has no id. */
  async function writtenFor({ requestId, ...options }: PurchaseOptions): Promise<Order | undefined> {
    return requestId === undefined ? undefined : inTime(findOrderOfRequest({ ...options, requestId }));
  }

  async function inTime(read: Promise<Order | undefined>): Promise<Order | undefined> {
    try {
      return await Promise.race([read, after(CONFIRM_WAIT_MS, undefined)]);
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  }

  return async function countedPurchase(options: PurchaseOptions): Promise<PurchaseOutcome> {
    const outcome = await purchase(options);
    onOutcome(outcome.outcome);
    return outcome;
  };
}

function reserved(
  { couponId, userId }: PurchaseOptions,
  { id, createdAt }: { id: string; createdAt: number },
): Order {
  return { id, couponId, userId, status: 'reserved', createdAt };
}

function otherKind({ kind }: Pick<PurchaseOptions, 'kind'>): AppError {
  const other =
    kind === 'seckill' ? 'a claim, which coupon.claim gives' : 'a seckill, which coupon.seckill sells';
  return new AppError('BAD_REQUEST', `couponId: is ${other}`);
}

/** Letters and digits that are hard to mistake for each other; 32 to the 10th is about 10 to the 15th codes. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

function newCode(): string {
  return Array.from(randomBytes(10), (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]).join('');
}
