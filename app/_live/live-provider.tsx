'use client';

import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { createLateFeed } from './late-feed';
import type { LiveEvent, LiveWindow } from './live-event';
import { type LiveFeed, type LiveSnapshot, levelName, notConnected, type RefusedMark } from './live-snapshot';
import { createServerClock, type ServerClock } from './server-clock';

interface Live {
  clock: ServerClock;
  feed: LiveFeed;
}

const LiveContext = createContext<Live | undefined>(undefined);

/** One clock and one feed for all pages of a tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [live] = useState(createLive);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/**
 * The server's clock. Give it the instant that the server rendered with: until the feed speaks, it is the best that is
 * known. Call it before the hooks that read the clock.
 */
export function useServerClock(renderedAt?: number): ServerClock {
  const { clock } = useLive();
  useEffect(() => {
    if (renderedAt !== undefined && !clock.isSet()) clock.observe(renderedAt);
  }, [clock, renderedAt]);
  return clock;
}

/** A window that counts everybody; `undefined` until the feed has sent it. */
export function useLiveWindow(policy: string, level: string): LiveWindow | undefined {
  return useSnapshot(({ event }) =>
    event?.windows.find((window) => window.policy === policy && window.level === level),
  );
}

const noMarks: readonly RefusedMark[] = [];

/** What a level that counts everybody has refused lately, as far as this page has seen. */
export function useLiveRefused(policy: string, level: string): readonly RefusedMark[] {
  return useSnapshot(({ refused }) => refused[levelName({ policy, level })] ?? noMarks);
}

/** What is left of a coupon; `undefined` until the feed has said so. */
export function useLiveStock(couponId: string): number | undefined {
  return useSnapshot(({ event }) => event?.stock.find((stock) => stock.couponId === couponId)?.remaining);
}

/** The coupons that have stock, joined by spaces: a text is equal to itself, so a reader renders on changes only. */
export function useLiveCouponIds(): string {
  return useSnapshot(({ event }) => (event?.stock ?? []).map(({ couponId }) => couponId).join(' '));
}

/** Whether the feed can be believed. */
export function useLiveStatus(): LiveSnapshot['status'] {
  return useSnapshot(({ status }) => status);
}

interface LiveEvents {
  /** What the feed said last. */
  latest(): LiveEvent | undefined;
  /** What the feed says next. */
  next(): Promise<LiveEvent>;
}

/** The events themselves, for who needs them at a moment of their own. */
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
  return { clock, feed: createLateFeed(async () => (await import('./open-feed')).openFeed(clock)) };
}
