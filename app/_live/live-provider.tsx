'use client';

import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { createServerClock, type ServerClock } from './clock';
import { createLazy } from './lazy';
import type { LiveEvent, LiveLevel } from './live-feed';
import { type LiveFeed, type LiveSnapshot, notConnected } from './live-snapshot';

interface Live {
  clock: ServerClock;
  feed: LiveFeed;
}

const LiveContext = createContext<Live | undefined>(undefined);

/** Provides one clock and one feed for all pages of a tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [live] = useState(createLive);
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
  return useSnapshot(({ event }) => findStock(event, coupon));
}

/** Returns true while a coupon has stock. Its readers render only on this change. */
export function useHasLiveStock(coupon: StockedCoupon): boolean {
  return useSnapshot(({ event }) => findStock(event, coupon) !== 0);
}

/**
 * Returns the ids of coupons with stock, joined by spaces. A string keeps its identity, so readers render only on
 * changes.
 */
export function useLiveCouponIds(): string {
  return useSnapshot(({ event }) => (event?.stock ?? []).map(({ couponId }) => couponId).join(' '));
}

/** Returns true while an event is overdue, or the server cannot read the state. Its readers render only on this change. */
export function useIsStale(): boolean {
  return useSnapshot(({ status }) => status === 'stale');
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

function findStock(event: LiveEvent | undefined, { id, stock }: StockedCoupon): number | undefined {
  return (event?.stock.find(({ couponId }) => couponId === id) ?? stock)?.remaining;
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
export function useSnapshot<Value>(select: (snapshot: LiveSnapshot) => Value): Value {
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

function createLive(): Live {
  const clock = createServerClock();
  return { clock, feed: createLazyFeed(async () => (await import('./live-feed')).openLiveFeed(clock)) };
}

/**
 * Creates a feed whose code loads with its first subscriber, in a task of its own, so that buttons work before it has
 * loaded. If it does not load, the next subscriber tries again, for all of them.
 */
function createLazyFeed(load: () => Promise<LiveFeed>): LiveFeed {
  const lazy = createLazy(() => new Promise((resolve) => setTimeout(resolve)).then(load));

  return {
    snapshot: () => lazy.current()?.snapshot() ?? notConnected,
    subscribe(listener) {
      const feed = lazy.current();
      if (feed) return feed.subscribe(listener);
      let leave = lazy.subscribe(() => {
        leave();
        leave = lazy.current()?.subscribe(listener) ?? leave;
      });
      lazy.load().catch(() => undefined);
      return () => leave();
    },
  };
}
