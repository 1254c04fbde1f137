import { StoreUnavailableError, withinStoreTimeout } from '../../limiter/index';
import { defineScript } from '../../limiter/stores';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { STORE_BUDGET_MS, timeLeftMs } from '../../trpc/deadline';
import type { Coupon } from '../coupon';
import type { PurchaseRequest } from '../order';
import { type Fence, type Fences, isOlder } from './fence';

/**
 * The gate's reply to a purchase. `missing`: the gate has no state for this coupon and must be rebuilt. `stale`: its state
 * is older than this node has seen, and it must be rebuilt. `spent`: the request id was charged before without an order,
 * so it makes none now. `behind`: too many orders wait for the ledger. `could-buy`: the reply to a peek whose purchase
 * would be accepted.
 */
export type GateReply =
  | { outcome: 'accepted' | 'replayed' | 'already-bought'; order: { id: string; createdAt: number } }
  | Plain<OutcomeWithoutOrder>;

type OutcomeWithoutOrder =
  | 'sold-out'
  | 'not-started'
  | 'ended'
  | 'missing'
  | 'stale'
  | 'other-kind'
  | 'spent'
  | 'behind'
  | 'could-buy';

/** One member per outcome, so that a switch narrows the reply. */
type Plain<Outcome extends string> = Outcome extends string ? { outcome: Outcome } : never;

/** A purchase that the gate decides. */
export interface GatePurchase extends PurchaseRequest {
  /** The id of the order if it is accepted. The same for each call with one request id. */
  orderId: string;
  code: string;
  /** The limiter admitted the call without a charge, because it had charged this request id before. */
  isReplay: boolean;
  /** Decides the purchase without making it. Default: false. */
  isPeek?: boolean;
  /** The end of the wait for Redis, by `performance.now()`. */
  deadline: number;
}

/** The state with which a rebuild opens a gate. */
export interface InitialGateState {
  couponId: string;
  generation: number;
  kind: Coupon['kind'];
  startsAt: number;
  endsAt: number;
  /** Null for a claim, like the stock. */
  remaining: number | null;
  stock: number | null;
  /** Number of operators' changes of the coupon that this state contains. */
  revision: number;
}

/** An outbox entry that the ledger refused. `blockingOrder` is the shopper's other open order, if that is the reason. */
export interface RefusedEntry {
  couponId: string;
  generation: number;
  userId: string;
  orderId: string;
  blockingOrder?: { id: string; createdAt: number } | undefined;
}

/** The state of an open gate when it was read. Instants in epoch ms by Redis's clock. */
export interface GateState extends Fence {
  startsAt: number;
  endsAt: number;
  /** Null for a claim. */
  remaining: number | null;
  /** Number of operators' changes that it has applied; -1 if a version without revisions opened it. */
  revision: number;
  /** Its fence is lower than the highest that this node had seen before the read. */
  isStale: boolean;
}

/** The Redis side of a sale. It decides purchases, and its state can be lost at any time. */
export interface Gate {
  /** Throws `StoreUnavailableError`. */
  purchase(purchase: GatePurchase): Promise<GateReply>;
  /** Returns false if a newer generation is open. */
  open(state: InitialGateState): Promise<boolean>;
  /** Stops a gate of this generation. A gate of a newer generation stays open. */
  close(gate: { couponId: string; generation: number }): Promise<void>;
  /** Returns the stock of a refused order to the gate, once. */
  releaseReservation(entry: RefusedEntry): Promise<void>;
  /** Returns undefined for a gate without state. Throws `StoreUnavailableError`. */
  readState(couponId: string, deadline?: number): Promise<GateState | undefined>;
}

/**
 * The maximum lag of the ledger behind a gate. Above it the gate sells nothing. docs/decisions/013 derives the numbers.
 */
export interface LedgerLagBound {
  /** Orders of one coupon in the outbox. */
  entries: number;
  /** Age of the oldest of them, by Redis's clock. */
  ageMs: number;
}

export const LEDGER_LAG_BOUND: LedgerLagBound = { entries: 10_000, ageMs: 15_000 };

export interface GateOptions {
  redis: RedisClient;
  fences: Fences;
  lagBound: LedgerLagBound;
  /** Replaces Redis's clock, for tests. */
  clock?: () => number;
}

/** The consumer group of every outbox. */
export const LEDGER_GROUP = 'ledger';
/** Lifetime of a reservation that the ledger has not settled: a day. */
export const RESERVATION_TTL_MS: number = 24 * 60 * 60 * 1000;
/** Limit for opening a gate, with ten thousand buyers. No call waits that long. */
export const REBUILD_TIMEOUT_MS = 5_000;
/** The keys of a sale live for a day after its end, for late replays and for the ledger. */
const KEPT_AFTER_END_MS = 24 * 60 * 60 * 1000;

const STATE_FIELDS = ['generation', 'sequence', 'remaining', 'starts_at', 'ends_at', 'revision'] as const;

const WITH_ORDER = new Set(['accepted', 'replayed', 'already-bought'] as const);
const WITHOUT_ORDER: ReadonlySet<OutcomeWithoutOrder> = new Set([
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

/** Creates the gate of a node. */
export function createGate({ redis, fences, lagBound, clock }: GateOptions): Gate {
  const runPurchase = defineScript(redis, {
    command: 'salePurchase',
    file: 'sale/purchase.lua',
    numberOfKeys: 4,
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
      const highest = fences.highest(couponId);
      const reply = runPurchase(
        [keys.gate, keys.buyers, keys.outbox, keys.reservations(userId)],
        [
          ...[clock?.() ?? '', kind, userId, orderId, code, requestId, RESERVATION_TTL_MS, isReplay ? 1 : 0],
          ...[highest.generation, highest.sequence, lagBound.entries, lagBound.ageMs, isPeek ? 1 : 0],
        ],
      );
      const { fence, ...decided } = decodePurchase(await withinStoreTimeout(reply, timeLeftMs(deadline)));
      if (fence) fences.observe(couponId, fence);
      return decided;
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
      return (await withinStoreTimeout(opening, REBUILD_TIMEOUT_MS)) === 1;
    },

    async close({ couponId, generation }) {
      await withinStoreTimeout(runClose([saleKeys(couponId).gate], [generation]), REBUILD_TIMEOUT_MS);
    },

    async releaseReservation({ couponId, generation, userId, orderId, blockingOrder }) {
      const keys = saleKeys(couponId);
      const releasing = runRelease(
        [keys.gate, keys.buyers],
        [generation, userId, orderId, blockingOrder?.id ?? '', blockingOrder?.createdAt ?? ''],
      );
      await withinStoreTimeout(releasing, REBUILD_TIMEOUT_MS);
    },

    async readState(couponId, deadline = performance.now() + STORE_BUDGET_MS) {
      if (redis.status !== 'ready') throw new StoreUnavailableError('Redis is not connected');
      const highest = fences.highest(couponId);
      const read = redis.hmget(saleKeys(couponId).gate, ...STATE_FIELDS);
      const [generation, sequence, remaining, startsAt, endsAt, revision] = await withinStoreTimeout(
        read,
        timeLeftMs(deadline),
      );
      if (generation == null) return undefined;
      const fence = { generation: Number(generation), sequence: Number(sequence ?? 0) };
      return {
        ...fence,
        startsAt: Number(startsAt),
        endsAt: Number(endsAt),
        remaining: remaining ? Math.max(0, Number(remaining)) : null,
        revision: Number(revision ?? -1),
        isStale: isOlder(fence, highest),
      };
    },
  };
}

/**
 * Reads the state of a gate for display. Returns undefined for a gate that cannot sell: without state, with an old state,
 * or while Redis is down.
 */
export async function readCurrentState(
  gate: Gate,
  { couponId, deadline }: { couponId: string; deadline?: number },
): Promise<GateState | undefined> {
  try {
    const state = await gate.readState(couponId, deadline);
    return state?.isStale ? undefined : state;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

function decodePurchase(reply: unknown): GateReply & { fence?: Fence } {
  const [outcome, id, createdAt, generation, sequence] = Array.isArray(reply) ? (reply as unknown[]) : [];
  if (isOneOf(WITHOUT_ORDER, outcome)) return { outcome } as GateReply;
  if (isOneOf(WITH_ORDER, outcome) && typeof id === 'string' && typeof createdAt === 'number') {
    const order = { id, createdAt };
    if (outcome !== 'accepted') return { outcome, order };
    if (typeof generation === 'number' && typeof sequence === 'number')
      return { outcome, order, fence: { generation, sequence } };
  }
  throw new TypeError(`purchase.lua replied ${JSON.stringify(reply)}`);
}

function isOneOf<Member extends string>(set: ReadonlySet<Member>, value: unknown): value is Member {
  return (set as ReadonlySet<unknown>).has(value);
}
