'use client';

import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { createServerClock, type ServerClock } from './clock';
import { levelKey } from './level-key';
import {
  createLiveFeed,
  type LiveEvent,
  type LiveFeed,
  type LiveLevel,
  type LiveQueue,
  type LiveSnapshot,
  type LiveWindow,
  notConnected,
} from './live-feed';
import { noMarks, type RefusalMark } from './refusal-marks';

interface Live {
  clock: ServerClock;
  feed: LiveFeed;
}

const LiveContext = createContext<Live | undefined>(undefined);

/** Provides one clock and one feed for all pages of a tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [live] = useState(() => {
    const clock = createServerClock();
    return { clock, feed: createLiveFeed(clock) };
  });
  return <LiveContext value={live}>{children}</LiveContext>;
}

/**
 * Returns the server's clock. `renderedAt`, the instant of the server rendering, sets it until the feed sends a time.
 * Call it before hooks that read the clock.
 */
export function useServerClock(renderedAt?: number): ServerClock {
  const { clock } = useLive();
  useEffect(() => {
    if (renderedAt !== undefined && !clock.isSet()) clock.observe(renderedAt);
  }, [clock, renderedAt]);
  return clock;
}

/** A coupon with the stock that the page was rendered with, which counts until the first event. */
interface StockedCoupon {
  id: string;
  /** `null`: unlimited. */
  stock: { remaining: number } | null;
}

/** Returns the remaining stock of a coupon; `undefined` if it is unlimited. */
export function useLiveStock(coupon: StockedCoupon): number | undefined {
  return useSnapshot((snapshot) => findStock(snapshot, coupon));
}

/** Returns true while a coupon has stock. Its readers render only on this change. */
export function useHasLiveStock(coupon: StockedCoupon): boolean {
  return useSnapshot((snapshot) => findStock(snapshot, coupon) !== 0);
}

/** Returns the version of the shown coupons, as in `coupon.list`; `undefined` before the first event. */
export function useCouponsVersion(): string | undefined {
  return useSnapshot(({ event }) => event?.couponsVersion);
}

/** Returns the number of active bans of shoppers; `undefined` before the first event. */
export function useLiveBans(): number | undefined {
  return useSnapshot(({ event }) => event?.bans);
}

/** Returns true while the shown state may be old. Its readers render only on this change. */
export function useIsStale(): boolean {
  return useSnapshot(({ status }) => status === 'stale' || status === 'refused');
}

/** Returns true while the server cannot read the state, or is silent, so that no call can be decided. */
export function useIsStateUnknown(): boolean {
  return useSnapshot(({ isUnknown }) => isUnknown);
}

/** Returns true while shoppers wait in a queue. Its readers render only on this change. */
export function useHasQueue(): boolean {
  return useSnapshot(({ event }) => event?.queues.some(({ waiting }) => waiting > 0) ?? false);
}

const noLevels: readonly LiveLevel[] = [];
/** Returns the effective limits of the levels that count one visitor, of all policies; none before the first event. */
export function useLiveLevels(): readonly LiveLevel[] {
  return useSnapshot(({ event }) => event?.levels ?? noLevels);
}

/** Returns a global window, or `undefined` before the first event. */
export function useLiveWindow(policy: string, level: string): LiveWindow | undefined {
  return useSnapshot(({ event }) =>
    event?.windows.find((window) => window.policy === policy && window.level === level),
  );
}

/** Returns the queue of a policy, or `undefined` before the first event. Its readers render with each change. */
export function useLiveQueue(policy: string): LiveQueue | undefined {
  return useSnapshot(({ event }) => event?.queues.find((queue) => queue.policy === policy));
}

/** Returns the ids of the coupons that the feed has sent as sold out, joined by spaces, so that readers render only on changes. */
export function useSoldOutIds(): string {
  return useSnapshot(({ stock }) =>
    [...stock].flatMap(([couponId, remaining]) => (remaining === 0 ? [couponId] : [])).join(' '),
  );
}

/** A list of coupons that was read before this long may miss changes: the server answers with reads of 250 ms ago. */
const LIST_AGE_MS = 500;

/**
 * Requests the stock of coupons in the first event of the next connection. Returns the instant from which on no event was
 * lost, if that is after the list of these coupons was read and the stock of one is unknown: then read the list again.
 */
export function useLostSince(
  ids: readonly string[],
  { serverNow }: { serverNow: number },
): number | undefined {
  const { feed } = useLive();
  // Before the effect that opens the stream.
  useLayoutEffect(() => feed.watchCoupons(ids), [feed, ids]);
  return useSnapshot(({ stock, completeSince = 0 }) =>
    completeSince > serverNow - LIST_AGE_MS && ids.some((id) => !stock.has(id)) ? completeSince : undefined,
  );
}

/** Returns the refusals of a global level since the page opened. */
export function useLiveRefusals(policy: string, level: string): readonly RefusalMark[] {
  return useSnapshot(({ refused }) => refused[levelKey({ policy, level })] ?? noMarks);
}

/** Returns true while an operator blocks a level of the policy, so that every call is refused. */
export function useIsBlocked(policy: string): boolean {
  return useSnapshot(
    ({ event }) => event?.levels.some((one) => one.policy === policy && one.mode === 'block') ?? false,
  );
}

/** Returns the status of the feed. */
export function useLiveStatus(): LiveSnapshot['status'] {
  return useSnapshot(({ status }) => status);
}

function findStock(snapshot: LiveSnapshot, { id, stock }: StockedCoupon): number | undefined {
  return snapshot.stock.get(id) ?? stock?.remaining;
}

interface LiveEvents {
  /** Returns the last event. */
  latest(): LiveEvent | undefined;
  /** Waits for the next event. */
  next(): Promise<LiveEvent>;
}

/** Returns functions that read the last event and wait for the next one. */
export function useLiveEvents(): LiveEvents {
  const { feed } = useLive();
  const latest = () => feed.snapshot().event;
  return {
    latest,
    next() {
      const seen = latest();
      return new Promise((resolve) => {
        const leave = feed.subscribe(() => {
          const event = latest();
          if (event === undefined || event === seen) return;
          leave();
          resolve(event);
        });
      });
    },
  };
}

/** Returns a part of the feed's state. Its readers render only when it changes, so it must keep its identity. */
function useSnapshot<Value>(select: (snapshot: LiveSnapshot) => Value): Value {
  const { feed } = useLive();
  return useSyncExternalStore(
    feed.subscribe,
    () => select(feed.snapshot()),
    () => select(notConnected),
  );
}

function useLive(): Live {
  const live = use(LiveContext);
  if (!live) throw new Error('Live counts need the LiveProvider of the layout.');
  return live;
}
