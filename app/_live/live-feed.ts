import type { EventStream, StreamHandlers, StreamMessage } from './event-stream';
import { type LiveEvent, parseAliveEvent, parseLiveEvent } from './live-event';
import { type LiveFeed, type LiveSnapshot, notConnected } from './live-snapshot';
import { marksAfter } from './refused-marks';

export interface LiveFeedOptions {
  /** Called with each instant that the server sends; never with one that waited, without its age added. */
  onServerNow(serverNow: number): void;
  createStream(handlers: StreamHandlers): EventStream;
}

/** The server gives a sign of life every 5 s where nothing changes; silence this long is a fault. */
const silenceMs = 9_000;
/** A hit that leaves its window makes an event; silence this long after that moment is a fault. */
const graceMs = 4_000;
/** Apart by chance, so that the viewers of a restarted node do not return all at once. */
const reopenAfterMs = () => 2_000 + Math.random() * 2_000;

/** Listens to /api/live for all of a page's meters. Browsers allow six connections per origin: a hidden tab gives its back. */
export function createLiveFeed({ onServerNow, createStream }: LiveFeedOptions): LiveFeed {
  const listeners = new Set<() => void>();
  let current: LiveSnapshot = notConnected;
  let stream: EventStream | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;

  function change(next: LiveSnapshot): void {
    current = next;
    for (const listener of listeners) listener();
  }

  function receive({ kind, data, ageMs }: StreamMessage): void {
    if (kind === 'windows') receiveWindows(data, ageMs);
    else receiveAlive(data, ageMs);
  }

  function receiveWindows(data: string, ageMs: number): void {
    const event = parseLiveEvent(data);
    if (!event) return;
    onServerNow(event.serverNow + ageMs);
    // What was refused while nobody listened was refused at nobody knows when.
    const last = current.status === 'live' ? current.event : undefined;
    change({ status: 'live', event, refused: marksAfter(current.refused, { last, next: event }) });
    watch(Math.max(graceMs, Math.min(silenceMs, nextChangeMs(event) + graceMs) - ageMs));
  }

  function receiveAlive(data: string, ageMs: number): void {
    const serverNow = parseAliveEvent(data);
    if (serverNow === undefined || !current.event) return;
    onServerNow(serverNow + ageMs);
    if (current.status !== 'live') change({ ...current, status: 'live' });
    watch(Math.max(graceMs, silenceMs - ageMs));
  }

  function lose(): void {
    change({ ...current, status: current.event ? 'stale' : 'connecting' });
    watch(reopenAfterMs());
  }

  function watch(ms: number): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      change({ ...current, status: 'stale' });
      stream?.reopen();
      watch(graceMs);
    }, ms);
  }

  function followVisibility(): void {
    if (document.visibilityState === 'visible') {
      stream ??= createStream({ onMessage: receive, onLost: lose });
      stream.open();
      watch(graceMs);
      return;
    }
    stream?.close();
    clearTimeout(watchdog);
    // Back again, the first event must not pass for what has happened since the last one.
    if (current.event) current = { ...current, status: 'connecting' };
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
        stream?.close();
        clearTimeout(watchdog);
      };
    },
    snapshot: () => current,
  };
}

/** Time until the first hit leaves its window, which is an event by itself. */
function nextChangeMs({ serverNow, windows }: LiveEvent): number {
  const leaving = windows.flatMap(({ hits, windowMs }) => hits.map((hit) => hit + windowMs - serverNow));
  return Math.max(0, Math.min(...leaving));
}
