import { StoreUnavailableError, withinStoreTimeout } from '../limiter';
import { defineScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { saleKeys } from '../redis/keys';
import { STORE_BUDGET_MS, timeLeftMs } from '../trpc/deadline';
import type { Coupon } from './coupon';

/**
 * What the gate answers to a purchase. `missing`: it has no state for this coupon and must be rebuilt. `spent`: the
 * request id was charged before and made no order then, so it makes none now.
 */
export type GateReply =
  | { outcome: 'accepted' | 'replayed' | 'already-bought'; order: { id: string; createdAt: number } }
  | Plain<'sold-out' | 'not-started' | 'ended' | 'missing' | 'other-kind' | 'spent'>;

/** One member for each outcome, so that a switch over them narrows. */
type Plain<Outcome extends string> = Outcome extends string ? { outcome: Outcome } : never;

/** One try to buy. */
export interface GatePurchase {
  couponId: string;
  kind: Coupon['kind'];
  userId: string;
  /** Used if the order is accepted. */
  orderId: string;
  code: string;
  requestId?: string | undefined;
  /** The limiter let the call in without charge, because it had charged this request id before. */
  isReplay: boolean;
  /** Until when to wait for Redis, by `performance.now()`. */
  deadline: number;
}

/** The state that a rebuild opens a gate with. */
export interface GateState {
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

/** An entry of the outbox whose shopper holds another order. */
export interface RefusedEntry {
  couponId: string;
  generation: number;
  userId: string;
  orderId: string;
  held: { id: string; createdAt: number };
}

/** What an open gate says of itself. */
export interface StandingGate {
  generation: number;
  /** Null for a claim. */
  remaining: number | null;
}

/** The Redis side of a sale: decides purchases, and can be lost at any moment. */
export interface Gate {
  /** Throws `StoreUnavailableError`. */
  purchase(purchase: GatePurchase): Promise<GateReply>;
  /** False where a newer generation stands. */
  open(state: GateState): Promise<boolean>;
  /** Gives back the stock of an order that the ledger refused because the shopper holds another. */
  release(entry: RefusedEntry): Promise<void>;
  /** The gate as it stands; undefined where it has no state. Throws `StoreUnavailableError`. */
  state(couponId: string, deadline?: number): Promise<StandingGate | undefined>;
}

/** The consumer group of every outbox. */
export const LEDGER_GROUP = 'ledger';
/** Request ids and unsettled reservations are kept for a day. */
export const REQUEST_TTL_MS: number = 24 * 60 * 60 * 1000;
/** Opening a gate may take a while, with ten thousand buyers; no call waits for it that long. */
export const REBUILD_WAIT_MS = 5_000;
/** The sale's keys outlive it by a day, for late replays and for the ledger. */
const KEPT_AFTER_END_MS = 24 * 60 * 60 * 1000;

const ORDERED = new Set(['accepted', 'replayed', 'already-bought'] as const);
const UNORDERED = new Set(['sold-out', 'not-started', 'ended', 'missing', 'other-kind', 'spent'] as const);

/** `clock` replaces Redis's own, for tests. */
export function createGate({ redis, clock }: { redis: RedisClient; clock?: () => number }): Gate {
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
  const runRelease = defineScript(redis, {
    command: 'saleRelease',
    file: 'sale/release.lua',
    numberOfKeys: 2,
  });

  return {
    async purchase({ couponId, kind, userId, orderId, code, requestId = '', isReplay, deadline }) {
      const keys = saleKeys(couponId);
      const reply = runPurchase(
        [keys.gate, keys.buyers, keys.outbox, keys.reservations(userId), keys.request(userId, requestId)],
        [clock?.() ?? '', kind, userId, orderId, code, requestId, REQUEST_TTL_MS, isReplay ? 1 : 0],
      );
      return decodePurchase(await withinStoreTimeout(reply, timeLeftMs(deadline)));
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

    async release({ couponId, generation, userId, orderId, held }) {
      const keys = saleKeys(couponId);
      await runRelease([keys.gate, keys.buyers], [generation, userId, orderId, held.id, held.createdAt]);
    },

    async state(couponId, deadline = performance.now() + STORE_BUDGET_MS) {
      if (redis.status !== 'ready') throw new StoreUnavailableError('Redis is not connected');
      const read = redis.hmget(saleKeys(couponId).gate, 'generation', 'remaining');
      const [generation, remaining] = await withinStoreTimeout(read, timeLeftMs(deadline));
      if (generation == null) return undefined;
      return {
        generation: Number(generation),
        remaining: remaining ? Math.max(0, Number(remaining)) : null,
      };
    },
  };
}

function decodePurchase(reply: unknown): GateReply {
  const [outcome, id, createdAt] = Array.isArray(reply) ? (reply as unknown[]) : [];
  if (isOneOf(UNORDERED, outcome)) return { outcome } as GateReply;
  if (isOneOf(ORDERED, outcome) && typeof id === 'string' && typeof createdAt === 'number') {
    return { outcome, order: { id, createdAt } };
  }
  throw new TypeError(`purchase.lua replied ${JSON.stringify(reply)}`);
}

function isOneOf<Member extends string>(set: ReadonlySet<Member>, value: unknown): value is Member {
  return (set as ReadonlySet<unknown>).has(value);
}
