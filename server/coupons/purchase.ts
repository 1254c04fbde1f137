import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '../errors';
import { StoreUnavailableError } from '../limiter';
import type { Order } from '../orders/order';
import type { WaitingCalls } from '../orders/waiting-calls';
import type { Coupon } from './coupon';
import type { Gate, GateReply } from './gate';

/** What became of a try to buy. */
export type PurchaseOutcome =
  | { outcome: 'accepted' | 'already-bought'; order: Order }
  | { outcome: 'sold-out' | 'not-started' | 'ended' | 'paused' };

export interface PurchaseOptions {
  kind: Coupon['kind'];
  couponId: string;
  userId: string;
  requestId?: string | undefined;
  /** How long this call may still wait for Redis, in ms. */
  storeBudgetMs: number;
}

export interface PurchaseDeps {
  gate: Gate;
  /** Rebuilds a gate that has no state; true where it has one now. */
  ensureGate: (couponId: string) => Promise<boolean>;
  kindOf: (couponId: string) => Promise<Coupon['kind'] | undefined>;
  waitingCalls: WaitingCalls;
  kickLedger: (couponId: string) => void;
  findOrder: (order: { id: string; couponId: string; userId: string; createdAt: number }) => Promise<Order>;
  onOutcome: (outcome: PurchaseOutcome['outcome']) => void;
}

/** How long an accepted call waits to hear that its order is in Postgres. */
const CONFIRM_WAIT_MS = 250;

/** Buys one coupon for one shopper, or says why not. `accepted` is `confirmed` when Postgres was quick enough. */
export function createPurchase(deps: PurchaseDeps) {
  const { gate, ensureGate, kindOf, waitingCalls, kickLedger, findOrder, onOutcome } = deps;

  async function purchase(options: PurchaseOptions): Promise<PurchaseOutcome> {
    const orderId = randomUUID();
    const expectation = waitingCalls.expect(orderId);
    try {
      const reply = await askGate(options, orderId);
      switch (reply.outcome) {
        case 'accepted': {
          kickLedger(options.couponId);
          const settled = await expectation.settled(CONFIRM_WAIT_MS);
          return { outcome: 'accepted', order: settled ?? reserved(options, reply.order) };
        }
        case 'replayed':
        case 'already-bought': {
          const order = await findOrder({ ...options, ...reply.order });
          return { outcome: reply.outcome === 'replayed' ? 'accepted' : 'already-bought', order };
        }
        case 'missing':
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

  /** Asks the gate; where it has no state, has it rebuilt and asks once more. */
  async function askGate(options: PurchaseOptions, orderId: string): Promise<GateReply> {
    const { couponId, kind, userId, requestId, storeBudgetMs } = options;
    const ask = () =>
      gate.purchase({
        couponId,
        kind,
        userId,
        orderId,
        requestId,
        code: newCode(),
        timeoutMs: storeBudgetMs,
      });
    try {
      const reply = await ask();
      if (reply.outcome !== 'missing') return reply;
      const known = await kindOf(couponId);
      if (known === undefined)
        throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(couponId)}.`);
      if (known !== kind) throw otherKind(options);
      return (await ensureGate(couponId)) ? await ask() : reply;
    } catch (cause) {
      if (!(cause instanceof StoreUnavailableError)) throw cause;
      throw new AppError('SERVICE_UNAVAILABLE', 'The sale cannot be reached right now.', { cause });
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

function otherKind({ kind }: PurchaseOptions): AppError {
  const other =
    kind === 'seckill' ? 'a claim, which coupon.claim gives' : 'a seckill, which coupon.seckill sells';
  return new AppError('BAD_REQUEST', `couponId: is ${other}`);
}

/** Letters and digits that are hard to mistake for each other; 32 to the 10th is about 10 to the 15th codes. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

function newCode(): string {
  return Array.from(randomBytes(10), (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]).join('');
}
