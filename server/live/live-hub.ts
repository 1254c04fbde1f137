import { LRUCache } from 'lru-cache';
import type { DecisionCounter, DecisionTotals } from '../fleet/decision-counter';
import { type Limiter, type Window, withinStoreTimeout } from '../limiter/index';
import { listShownLevels } from '../limits/levels';
import type { PolicyRegistry } from '../limits/policy-registry';
import { peekGlobalWindows } from '../limits/windows';
import {
  createEventHub,
  type EventHub,
  type EventHubOptions,
  eventText,
  type StateEncoder,
} from './event-hub';

/** The public state of the running sale. */
export interface LiveState {
  /** Epoch ms by Redis's clock. */
  serverNow: number;
  /** The global levels. */
  windows: Window[];
  /** Totals that only grow, of all nodes together. */
  rates: DecisionTotals[];
  /** The stock of the coupons whose gates may have changed in the last seconds. */
  stock: CouponStock[];
  /** Changes when changes of gates may be missing in `stock`. */
  stockGaps: number;
  /** The queues behind global levels. */
  queues: LiveQueue[];
  /** The effective limits of the levels `user`, whose windows are not public, and `global`. */
  levels: LiveLevel[];
  /** Number of active bans of shoppers. A page reads its own windows again when it changes. */
  bans: number;
  /** The version of the shown coupons, as in `coupon.list`. A page reads them again when it changes. */
  couponsVersion: string;
}

/** The remaining stock of a coupon. */
interface CouponStock {
  couponId: string;
  remaining: number;
}

/** The data of `event: windows`. */
export interface LiveEvent extends Omit<LiveState, 'levels' | 'stockGaps'> {
  /**
   * Grows by 1 with each event of a node. Another difference means that an event was lost: the page then reads its coupons
   * again.
   */
  sequence: number;
  /** Of the first event: the stock of the coupons that the viewer named; else of those that changed since the last event. */
  stock: CouponStock[];
  /** Absent if equal to those of the last event. */
  levels?: LiveLevel[];
}

/** The queue of a level. Instants are epoch ms by Redis's clock, `null` if no ticket waits. */
export interface LiveQueue {
  policy: string;
  level: string;
  waiting: number;
  /** The bounds of the first and of the last turn. */
  nextTurnAt: number | null;
  lastTurnAt: number | null;
  /** Changes when tickets move. */
  version: number;
}

/** The effective limit of a level on this node. */
export interface LiveLevel {
  policy: string;
  level: string;
  algorithm: string;
  limit: number;
  windowMs: number;
  mode: string;
  /** Changes with each override of the level or of one of its subjects; the page then reads its windows again. */
  version?: number;
}

const TOTALS_TIMEOUT_MS = 250;

interface ReadLiveStateOptions {
  limiter: Limiter;
  decisionCounter: Pick<DecisionCounter, 'readTotals'>;
  policies: PolicyRegistry;
  readChangedStock: () => Promise<Pick<LiveState, 'stock' | 'stockGaps'>>;
  readCouponsVersion: () => Promise<string>;
  queue: { readState(): Promise<LiveState['queues'][number]> };
}

/** Reads the state that `/api/live` shows. */
export async function readLiveState(options: ReadLiveStateOptions): Promise<LiveState> {
  const { limiter, decisionCounter, policies, readChangedStock, readCouponsVersion, queue } = options;
  const [{ windows, serverNow }, totals, changed, waiting, bans, couponsVersion] = await Promise.all([
    peekGlobalWindows({ limiter, policies }),
    withinStoreTimeout(decisionCounter.readTotals(policies), TOTALS_TIMEOUT_MS),
    readChangedStock(),
    queue.readState(),
    countShopperBans({ limiter, policies }),
    readCouponsVersion(),
  ]);
  const levels = listShownLevels({ limiter, policies });
  return {
    ...{ serverNow, windows, rates: totals, queues: [waiting], levels, bans, couponsVersion },
    ...changed,
  };
}

async function countShopperBans({
  limiter,
  policies,
}: Pick<ReadLiveStateOptions, 'limiter' | 'policies'>): Promise<number> {
  const banning = policies.filter((policy) =>
    policy.levels.some(({ level, punishment }) => level === 'user' && punishment),
  );
  const counts = await Promise.all(banning.map((policy) => limiter.bans.count(policy)));
  return counts.reduce((sum, count) => sum + count, 0);
}

export interface LiveHubOptions extends Pick<EventHubOptions<LiveState>, 'read' | 'onViewers' | 'log'> {
  /** Reads the stock of coupons. Leaves out claims, and gates that cannot sell. */
  readStock: (couponIds: readonly string[]) => Promise<CouponStock[]>;
}

/** At most four events a second. */
const POLL_MS = 250;

/** Creates the hub that streams the state of the running sale to everybody. */
export function createLiveHub({ readStock, ...options }: LiveHubOptions): EventHub {
  const encoder = createLiveEncoder();
  return createEventHub({
    ...{ ...options, encoder, pollMs: POLL_MS },
    async prepareFirst({ couponIds = [] }) {
      const unknown = couponIds.filter((couponId) => !encoder.knowsStock(couponId));
      if (unknown.length > 0) encoder.addStock(await readStock(unknown));
    },
  });
}

/** Maximum bytes of an event after the first, however many coupons have changed. The next events have the others. */
const MAX_EVENT_BYTES = 4_096;
/** Coupons whose last sent stock is remembered. The stock of another one is sent again when its gate changes. */
const MAX_SENT = 10_000;

interface LiveEncoder extends StateEncoder<LiveState> {
  knowsStock(couponId: string): boolean;
  /** Stores stock that was just read. Keeps a stock that was sent. */
  addStock(stock: readonly CouponStock[]): void;
}

/** Creates the encoder of the live stream. */
function createLiveEncoder(): LiveEncoder {
  const sent = new LRUCache<string, number>({ max: MAX_SENT });
  /** Changed stock that no event has had yet, in the order of the first change. */
  const pending = new Map<string, number>();
  // Random, so that an event of another node never seems to be the next one.
  let sequence = Math.floor(Math.random() * 2 ** 40);
  let lastKey: string | undefined;
  let lastLevels = '';
  let lastGaps: number | undefined;
  /** The first events for the current state, by coupons. */
  let firsts: { state: LiveState; sequence: number; byCoupons: Map<string, Buffer> } | undefined;

  function encode({ stockGaps: _gaps, ...state }: LiveState, changes: Partial<LiveEvent>): Buffer {
    return eventText('windows', { ...state, sequence, ...changes });
  }

  function setSent(state: LiveState): void {
    lastKey = changeKey(state);
    lastLevels = JSON.stringify(state.levels);
    lastGaps = state.stockGaps;
  }

  return {
    next(state) {
      const hasGap = state.stockGaps !== lastGaps;
      if (hasGap) sent.clear();
      for (const { couponId, remaining } of state.stock) {
        if (sent.get(couponId) === remaining) pending.delete(couponId);
        else pending.set(couponId, remaining);
      }
      if (pending.size === 0 && !hasGap && changeKey(state) === lastKey) return undefined;
      const isEqual = JSON.stringify(state.levels) === lastLevels;
      setSent(state);
      // A gap has a number of its own, like a lost event.
      sequence += hasGap ? 2 : 1;
      const levels = isEqual ? undefined : state.levels;
      const bytes = encode(state, { stock: [], levels });
      return pending.size === 0 ? bytes : encode(state, { stock: takePending(bytes.length), levels });
    },

    first(state, { couponIds = [] }) {
      if (lastKey === undefined) setSent(state);
      if (firsts?.state !== state || firsts.sequence !== sequence)
        firsts = { state, sequence, byCoupons: new Map() };
      const key = couponIds.join();
      const bytes = firsts.byCoupons.get(key) ?? encode(state, { stock: couponIds.flatMap(knownStock) });
      firsts.byCoupons.set(key, bytes);
      return bytes;
    },

    knowsStock: (couponId) => findStock(couponId) !== undefined,

    addStock(stock) {
      for (const { couponId, remaining } of stock) if (!sent.has(couponId)) sent.set(couponId, remaining);
    },

    alive: ({ serverNow }) => eventText('alive', { serverNow }),

    reset() {
      sent.clear();
      pending.clear();
      [lastKey, lastGaps, firsts] = [undefined, undefined, undefined];
    },
  };

  function findStock(couponId: string): number | undefined {
    return pending.get(couponId) ?? sent.get(couponId);
  }

  function knownStock(couponId: string): CouponStock[] {
    const remaining = findStock(couponId);
    return remaining === undefined ? [] : [{ couponId, remaining }];
  }

  /** Takes the stock that waits longest, as much as fits into an event with these bytes, and that of one coupon at least. */
  function takePending(bytes: number): CouponStock[] {
    const taken: CouponStock[] = [];
    let free = MAX_EVENT_BYTES - bytes;
    for (const [couponId, remaining] of pending) {
      const one = { couponId, remaining };
      free -= Buffer.byteLength(JSON.stringify(one)) + 1;
      if (free < 0 && taken.length > 0) break;
      taken.push(one);
      pending.delete(couponId);
      sent.set(couponId, remaining);
    }
    return taken;
  }
}

/** Returns a key that changes with the state. Time alone does not change it, because the page counts down by itself. */
function changeKey({
  serverNow: _now,
  stock: _stock,
  stockGaps: _gaps,
  windows,
  ...rest
}: LiveState): string {
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), rest]);
}
