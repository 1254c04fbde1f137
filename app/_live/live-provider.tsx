'use client';

import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { createServerClock, type ServerClock } from './clock';
import type { LiveEvent, LiveLevel, LiveWindow } from './live-feed';
import { type LiveFeed, type LiveSnapshot, levelKey, notConnected, type RefusalMark } from './live-snapshot';

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

/** Returns a global window, or `undefined` before the first event. */
export function useLiveWindow(policy: string, level: string): LiveWindow | undefined {
  return useSnapshot(({ event }) =>
    event?.windows.find((window) => window.policy === policy && window.level === level),
  );
}

const noMarks: readonly RefusalMark[] = [];

/** Returns the refusals of a global level since the page opened. */
export function useLiveRefusals(policy: string, level: string): readonly RefusalMark[] {
  return useSnapshot(({ refused }) => refused[levelKey({ policy, level })] ?? noMarks);
}

/** Returns the remaining stock of a coupon, or `undefined` before the first event. */
export function useLiveStock(couponId: string): number | undefined {
  return useSnapshot(({ event }) => findStock(event, couponId));
}

/** Returns true while a coupon has stock, or `undefined` before the first event. Its readers render only on this change. */
export function useHasLiveStock(couponId: string): boolean | undefined {
  return useSnapshot(({ event }) => {
    const remaining = findStock(event, couponId);
    return remaining === undefined ? undefined : remaining > 0;
  });
}

/**
 * Returns the ids of coupons with stock, joined by spaces. A string keeps its identity, so readers render only on
 * changes.
 */
export function useLiveCouponIds(): string {
  return useSnapshot(({ event }) => (event?.stock ?? []).map(({ couponId }) => couponId).join(' '));
}

/** Returns the status of the feed. */
export function useLiveStatus(): LiveSnapshot['status'] {
  return useSnapshot(({ status }) => status);
}

/** Returns true while the server reports that it cannot read the state, so that no call can be decided. */
export function useIsUnreadable(): boolean {
  return useSnapshot(({ isUnreadable }) => isUnreadable);
}

const noLevels: readonly LiveLevel[] = [];
/** Returns the effective limits of the levels that count one visitor, of all policies; none before the first event. */
export function useLiveLevels(): readonly LiveLevel[] {
  return useSnapshot(({ event }) => event?.levels ?? noLevels);
}

function findStock(event: LiveEvent | undefined, couponId: string): number | undefined {
  return event?.stock.find((stock) => stock.couponId === couponId)?.remaining;
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

function createLive(): Live {
  const clock = createServerClock();
  return { clock, feed: createLazyFeed(async () => (await import('./live-feed')).openLiveFeed(clock)) };
}

/** Creates a feed whose code loads with its first subscriber, so that buttons work before it has loaded. */
function createLazyFeed(load: () => Promise<LiveFeed>): LiveFeed {
  let loading: Promise<void> | undefined;
  let feed: LiveFeed | undefined;

  return {
    snapshot: () => feed?.snapshot() ?? notConnected,
    subscribe(listener) {
      let leave: (() => void) | undefined;
      let hasLeft = false;
      loading ??= load().then((loaded) => {
        feed = loaded;
      });
      void loading.then(() => {
        if (!hasLeft) leave = feed?.subscribe(listener);
      });
      return () => {
        hasLeft = true;
        leave?.();
      };
    },
  };
}
