import { type LiveEvent, parseLiveEvent } from './live-event';

/** `connecting`: no event yet. `stale`: the connection is gone, or an event that was due did not come. */
export interface LiveSnapshot {
  status: 'connecting' | 'live' | 'stale';
  event: LiveEvent | undefined;
}

export interface LiveFeed {
  /** The connection lives while somebody listens and the tab is visible. */
  subscribe(listener: () => void): () => void;
  snapshot(): LiveSnapshot;
}

export const notConnected: LiveSnapshot = { status: 'connecting', event: undefined };

/** A hit that leaves its window makes an event; silence this long after that moment is a fault. */
const graceMs = 4_000;
/** Apart by chance, so that the viewers of a restarted node do not return all at once. */
const reopenAfterMs = () => 2_000 + Math.random() * 2_000;

/** Listens to /api/live for all of a page's meters. Browsers allow six connections per origin: a hidden tab gives its back. */
export function createLiveFeed({ onServerNow }: { onServerNow(serverNow: number): void }): LiveFeed {
  const listeners = new Set<() => void>();
  let current = notConnected;
  let source: EventSource | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;

  function change(next: LiveSnapshot): void {
    current = next;
    for (const listener of listeners) listener();
  }

  function open(): void {
    close();
    source = new EventSource('/api/live');
    source.addEventListener('windows', receive);
    source.addEventListener('error', lose);
    watch(graceMs);
  }

  function close(): void {
    clearTimeout(watchdog);
    source?.close();
    source = undefined;
  }

  function receive({ data }: MessageEvent<unknown>): void {
    const event = typeof data === 'string' ? parseLiveEvent(data) : undefined;
    if (!event) return;
    onServerNow(event.serverNow);
    change({ status: 'live', event });
    const dueMs = nextChangeMs(event);
    if (dueMs === undefined) clearTimeout(watchdog);
    else watch(dueMs + graceMs);
  }

  /** The browser tries again by itself unless the server answered with an error; then this does. */
  function lose(): void {
    change({ ...current, status: current.event ? 'stale' : 'connecting' });
    watch(reopenAfterMs());
  }

  function watch(ms: number): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      change({ ...current, status: 'stale' });
      open();
    }, ms);
  }

  function followVisibility(): void {
    if (document.visibilityState === 'visible') open();
    else close();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        document.addEventListener('visibilitychange', followVisibility);
        followVisibility();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', followVisibility);
        close();
      };
    },
    snapshot: () => current,
  };
}

/** Time until the first hit leaves its window, which is an event by itself; `undefined` where all windows are empty. */
function nextChangeMs({ serverNow, windows }: LiveEvent): number | undefined {
  const leaving = windows.flatMap(({ hits, windowMs }) => hits.map((hit) => hit + windowMs - serverNow));
  return leaving.length === 0 ? undefined : Math.max(0, Math.min(...leaving));
}
