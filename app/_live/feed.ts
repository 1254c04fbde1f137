import type { EventStream, StreamHandlers, StreamMessage } from './event-stream';
import { isNumber, isRecord, parseJson } from './read-json';

/** What every feed knows of itself. `connecting`: no event yet. `stale`: an event that was due did not come. */
export interface FeedSnapshot {
  status: 'connecting' | 'live' | 'stale';
  event: object | undefined;
}

export interface Feed<Snapshot> {
  /** The stream is open while somebody listens and the tab is visible. */
  subscribe(listener: () => void): () => void;
  snapshot(): Snapshot;
}

export interface FeedOptions<Snapshot extends FeedSnapshot> {
  initial: Snapshot;
  /** The snapshot that an event makes of the one before; `undefined` where it is no event, which counts as silence. */
  read(text: string, before: Snapshot): { snapshot: Snapshot; serverNow: number } | undefined;
  /** Until the server has something to say by itself, in ms; infinite where it never has. */
  nextChangeMs(snapshot: Snapshot): number;
  /** Called with each instant that the server sends; never with one that waited, without its age added. */
  onServerNow(serverNow: number): void;
  createStream(handlers: StreamHandlers): EventStream;
}

/** The server gives a sign of life every 5 s where nothing changes; silence this long is a fault. */
const silenceMs = 9_000;
/** A change that comes by itself makes an event; silence this long after that moment is a fault. */
const graceMs = 4_000;
/** Apart by chance, so that the viewers of a restarted node do not return all at once. */
const reopenAfterMs = () => 2_000 + Math.random() * 2_000;

/** Listens to a stream for all readers of a page. Browsers allow six connections per origin: a hidden tab gives its back. */
export function createFeed<Snapshot extends FeedSnapshot>({
  initial,
  read,
  nextChangeMs,
  onServerNow,
  createStream,
}: FeedOptions<Snapshot>): Feed<Snapshot> {
  const listeners = new Set<() => void>();
  let current = initial;
  let stream: EventStream | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;

  function change(next: Snapshot): void {
    current = next;
    for (const listener of listeners) listener();
  }

  function receive({ kind, data, ageMs }: StreamMessage): void {
    if (kind === 'state') receiveState(data, ageMs);
    else receiveAlive(data, ageMs);
  }

  function receiveState(data: string, ageMs: number): void {
    const told = read(data, current);
    if (!told) return;
    onServerNow(told.serverNow + ageMs);
    change(told.snapshot);
    watch(Math.max(graceMs, Math.min(silenceMs, nextChangeMs(told.snapshot) + graceMs) - ageMs));
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

/** Reads the clock of an `alive` event. */
function parseAliveEvent(text: string): number | undefined {
  const data = parseJson(text);
  return isRecord(data) && isNumber(data.serverNow) ? data.serverNow : undefined;
}
