import { StoreUnavailableError, withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { STORE_BUDGET_MS, timeLeftMs } from '../../trpc/deadline';
import type { Coupon } from '../coupons/coupon';
import type { UnwrittenBound } from '../ledger/unwritten-bound';
import { type Fence, type Fences, isOlder } from './fence';
import type { PurchaseRequest } from './order-id';

/**
 * What the gate answers to a purchase. `missing`: it has no state for this coupon and must be rebuilt. `stale`: its
 * state is older than what this node has seen of it, likewise. `spent`: the request id was charged before and made no
 * order then, so it makes none now. `behind`: too much waits for the ledger for one more promise. `could-buy`: of a peek,
 * the purchase would have been accepted.
 */
export type GateReply =
  | { outcome: 'accepted' | 'replayed' | 'already-bought'; order: { id: string; createdAt: number } }
  | Plain<Unordered>;

type Unordered =
  | 'sold-out'
  | 'not-started'
  | 'ended'
  | 'missing'
  | 'stale'
  | 'other-kind'
  | 'spent'
  | 'behind'
  | 'could-buy';

/** One member for each outcome, so that a switch over them narrows. */
type Plain<Outcome extends string> = Outcome extends string ? { outcome: Outcome } : never;

/** One try to buy, as the gate decides it. */
export interface GatePurchase extends PurchaseRequest {
  /** Of the order, if it is accepted; under a request id the same for each call. */
  orderId: string;
  code: string;
  /** The limiter let the call in without charge, because it had charged this request id before. */
  isReplay: boolean;
  /** Decides the purchase without making it. Default: false. */
  isPeek?: boolean;
  /** Until when to wait for Redis, by `performance.now()`. */
  deadline: number;
}

/** The state that a rebuild opens a gate with. */
export interface InitialGateState {
  couponId: string;
  generation: number;
  kind: Coupon['kind'];
  startsAt: number;
  endsAt: number;
  /** Null for a claim, as is the stock. */
  remaining: number | null;
  stock: number | null;
  /** Of the coupon, as an operator last changed it. */
  revision: number;
}

/** An entry of the outbox that the ledger refused; with the order that the shopper holds, where that is why. */
export interface RefusedEntry {
  couponId: string;
  generation: number;
  userId: string;
  orderId: string;
  held?: { id: string; createdAt: number } | undefined;
}

/** The state of an open gate, as it was read. Instants in epoch ms by Redis's clock. */
export interface GateState extends Fence {
  startsAt: number;
  endsAt: number;
  /** Null for a claim. */
  remaining: number | null;
  /** It is older than what this node had seen of this gate when it asked. */
  isStale: boolean;
}

/** The Redis side of a sale: decides purchases, and can be lost at any moment. */
export interface Gate {
  /** Throws `StoreUnavailableError`. */
  purchase(purchase: GatePurchase): Promise<GateReply>;
  /** False where a newer generation stands. */
  open(initial: InitialGateState): Promise<boolean>;
  /** Stops a gate of this generation from selling. One that has been opened since stays open. */
  close(gate: { couponId: string; generation: number }): Promise<void>;
  /** Gives back the stock of an order that the ledger refused, once. */
  releaseReservation(entry: RefusedEntry): Promise<void>;
  /** The gate as it stands; undefined where it has no state. Throws `StoreUnavailableError`. */
  readState(couponId: string, deadline?: number): Promise<GateState | undefined>;
}

export interface GateOptions {
  redis: RedisClient;
  fences: Fences;
  /** How much may wait for the ledger while the gate sells. */
  unwritten: UnwrittenBound;
  /** Replaces Redis's clock, for tests. */
  clock?: () => number;
}

/** The consumer group of every outbox. */
export const LEDGER_GROUP = 'ledger';
/** Reservations that the ledger has not settled are kept for a day. */
export const RESERVATION_TTL_MS: number = 24 * 60 * 60 * 1000;
/** Opening a gate may take a while, with ten thousand buyers; no call waits for it that long. */
export const REBUILD_WAIT_MS = 5_000;
/** The sale's keys outlive it by a day, for late replays and for the ledger. */
const KEPT_AFTER_END_MS = 24 * 60 * 60 * 1000;

const STATE_FIELDS = ['generation', 'sequence', 'remaining', 'starts_at', 'ends_at'] as const;

const ORDERED = new Set(['accepted', 'replayed', 'already-bought'] as const);
const UNORDERED: ReadonlySet<Unordered> = new Set([
  'sold-out',
  'not-started',
  'ended',
  'missing',
  'stale',
  'other-kind',
  'spent',
  'behind',
  'could-buy',
] as const);

export function createGate({ redis, fences: fence, unwritten, clock }: GateOptions): Gate {
  const runPurchase = defineScript(redis, {
    command: 'salePurchase',
    file: 'sale/purchase.lua',
    numberOfKeys: 5,
  });
  const runOpen = defineScript(redis, {
    command: 'saleOpenGate',
    file: 'sale/open-gate.lua',
    numberOfKeys: 4,
  });
  const runClose = defineScript(redis, {
    command: 'saleCloseGate',
    file: 'sale/close-gate.lua',
    numberOfKeys: 1,
  });
  const runRelease = defineScript(redis, {
    command: 'saleRelease',
    file: 'sale/release-reservation.lua',
    numberOfKeys: 2,
  });

  return {
    async purchase({
      couponId,
      kind,
      userId,
      orderId,
      code,
      requestId = '',
      isReplay,
      isPeek = false,
      deadline,
    }) {
      const keys = saleKeys(couponId);
      const known = fence.highest(couponId);
      const reply = runPurchase(
        [
          ...[keys.gate, keys.buyers, keys.outbox, keys.reservations(userId)],
          keys.formerRequest(userId, requestId),
        ],
        [
          ...[clock?.() ?? '', kind, userId, orderId, code, requestId, RESERVATION_TTL_MS, isReplay ? 1 : 0],
          ...[known.generation, known.sequence, unwritten.entries, unwritten.ageMs, isPeek ? 1 : 0],
        ],
      );
      const { mark, ...answer } = decodePurchase(await withinStoreTimeout(reply, timeLeftMs(deadline)));
      if (mark) fence.observe(couponId, mark);
      return answer;
    },

    async open({ couponId, generation, kind, startsAt, endsAt, remaining, stock, revision }) {
      const keys = saleKeys(couponId);
      const opening = runOpen(
        [keys.gate, keys.buyers, keys.stagedBuyers(generation), keys.outbox],
        [
          ...[generation, kind, startsAt, endsAt, remaining ?? '', endsAt + KEPT_AFTER_END_MS, LEDGER_GROUP],
          ...[stock ?? '', revision],
        ],
      );
      return (await withinStoreTimeout(opening, REBUILD_WAIT_MS)) === 1;
    },

    async close({ couponId, generation }) {
      await withinStoreTimeout(runClose([saleKeys(couponId).gate], [generation]), REBUILD_WAIT_MS);
    },

    async releaseReservation({ couponId, generation, userId, orderId, held }) {
      const keys = saleKeys(couponId);
      const releasing = runRelease(
        [keys.gate, keys.buyers],
        [generation, userId, orderId, held?.id ?? '', held?.createdAt ?? ''],
      );
      await withinStoreTimeout(releasing, REBUILD_WAIT_MS);
    },

    async readState(couponId, deadline = performance.now() + STORE_BUDGET_MS) {
      if (redis.status !== 'ready') throw new StoreUnavailableError('Redis is not connected');
      const known = fence.highest(couponId);
      const read = redis.hmget(saleKeys(couponId).gate, ...STATE_FIELDS);
      const [generation, sequence, remaining, startsAt, endsAt] = await withinStoreTimeout(
        read,
        timeLeftMs(deadline),
      );
      if (generation == null) return undefined;
      const mark = { generation: Number(generation), sequence: Number(sequence ?? 0) };
      return {
        ...mark,
        startsAt: Number(startsAt),
        endsAt: Number(endsAt),
        remaining: remaining ? Math.max(0, Number(remaining)) : null,
        isStale: isOlder(mark, known),
      };
    },
  };
}

function decodePurchase(reply: unknown): GateReply & { mark?: Fence } {
  const [outcome, id, createdAt, generation, sequence] = Array.isArray(reply) ? (reply as unknown[]) : [];
  if (isOneOf(UNORDERED, outcome)) return { outcome } as GateReply;
  if (isOneOf(ORDERED, outcome) && typeof id === 'string' && typeof createdAt === 'number') {
    const order = { id, createdAt };
    if (outcome !== 'accepted') return { outcome, order };
    if (typeof generation === 'number' && typeof sequence === 'number')
      return { outcome, order, mark: { generation, sequence } };
  }
  throw new TypeError(`purchase.lua replied ${JSON.stringify(reply)}`);
}

function isOneOf<Member extends string>(set: ReadonlySet<Member>, value: unknown): value is Member {
  return (set as ReadonlySet<unknown>).has(value);
}
