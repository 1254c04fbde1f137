import type { DecisionCounter, DecisionTotals } from '../fleet/decision-counter';
import { type Limiter, type Window, withinStoreTimeout } from '../limiter/index';
import { listShownLevels } from '../limits/levels';
import type { PolicyRegistry } from '../limits/policy-registry';
import { peekGlobalWindows } from '../limits/windows';
import { createEventHub, type EventHub, type EventHubOptions, type StreamEvent } from './event-hub';

/** The public state of the running sale: the data of `event: windows`. */
export interface LiveState {
  /** Epoch ms by Redis's clock. */
  serverNow: number;
  /** The global levels. */
  windows: Window[];
  /** Totals that only grow, of all nodes together. */
  rates: DecisionTotals[];
  stock: { couponId: string; remaining: number }[];
  /** The queues behind global levels. */
  queues: LiveQueue[];
  /** The effective limits of the levels `user`, whose windows are not public, and `global`. */
  levels: LiveLevel[];
  /** Number of active bans of shoppers. A page reads its own windows again when it changes. */
  bans: number;
  /** The version of the shown coupons, as in `coupon.list`. A page reads them again when it changes. */
  couponsVersion: string;
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
  listStock: () => Promise<LiveState['stock']>;
  readCouponsVersion: () => Promise<string>;
  queue: { readState(): Promise<LiveState['queues'][number]> };
}

/** Reads the state that `/api/live` shows. */
export async function readLiveState(options: ReadLiveStateOptions): Promise<LiveState> {
  const { limiter, decisionCounter, policies, listStock, readCouponsVersion, queue } = options;
  const [{ windows, serverNow }, totals, stock, waiting, bans, couponsVersion] = await Promise.all([
    peekGlobalWindows({ limiter, policies }),
    withinStoreTimeout(decisionCounter.readTotals(policies), TOTALS_TIMEOUT_MS),
    listStock(),
    queue.readState(),
    countShopperBans({ limiter, policies }),
    readCouponsVersion(),
  ]);
  const levels = listShownLevels({ limiter, policies });
  return { serverNow, windows, rates: totals, stock, queues: [waiting], levels, bans, couponsVersion };
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

export type LiveHubOptions = Pick<EventHubOptions<LiveState>, 'read' | 'onViewers' | 'log'>;

/** At most four events a second. */
const POLL_MS = 250;

/** Creates the hub that streams the state of the running sale to everybody. */
export function createLiveHub(options: LiveHubOptions): EventHub {
  return createEventHub({ ...options, pollMs: POLL_MS, encode: liveEvent });
}

function liveEvent(state: LiveState): StreamEvent {
  return {
    key: changeKey(state),
    bytes: Buffer.from(`event: windows\ndata: ${JSON.stringify(state)}\n\n`),
    alive: Buffer.from(`event: alive\ndata: ${JSON.stringify({ serverNow: state.serverNow })}\n\n`),
  };
}

/** Returns a key that changes with the state. Time alone does not change it, because the page counts down by itself. */
function changeKey({ serverNow: _now, windows, ...rest }: LiveState): string {
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), rest]);
}
