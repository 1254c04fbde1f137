import type { EventStream, StreamHandlers, StreamMessage } from './event-stream';
import { isNumber, isRecord, parseJson } from './parse-json';

/**
 * The base of every snapshot. `connecting`: no event yet. `stale`: an event that was due did not arrive, or the server
 * cannot read the state.
 */
export interface FeedSnapshot {
  status: 'connecting' | 'live' | 'stale';
  event: object | undefined;
  /** True from the server's message that it cannot read the state, or from a silence, until the next event. */
  isUnknown: boolean;
}

export interface Feed<Snapshot> {
  /** Adds a listener. The stream is open while there are listeners and the tab is visible. */
  subscribe(listener: () => void): () => void;
  snapshot(): Snapshot;
}

export interface FeedOptions<Snapshot extends FeedSnapshot> {
  initial: Snapshot;
  /** Returns the snapshot after an event, or `undefined` for an invalid event, which counts as silence. */
  applyEvent(text: string, before: Snapshot): { snapshot: Snapshot; serverNow: number } | undefined;
  /** Returns the time until the next event that is due without a call, in ms; infinite if none is. */
  nextChangeMs(snapshot: Snapshot): number;
  /** Called with each instant that the server sends, plus the age of its message. */
  onServerNow(serverNow: number): void;
  createStream(handlers: StreamHandlers): EventStream;
}

/** Longest silence of a healthy stream: the server sends a heartbeat at least every 5 s. */
const MAX_SILENCE_MS = 9_000;
/** Longest delay of an event that is due. */
const GRACE_MS = 4_000;
/** Returns a random delay, so that the viewers of a restarted node do not reconnect all at once. */
const getReopenDelayMs = () => 2_000 + Math.random() * 2_000;

/** Creates a feed: one stream for all subscribers of a page. A hidden tab closes it: browsers allow six connections per origin. */
export function createFeed<Snapshot extends FeedSnapshot>({
  initial,
  applyEvent,
  nextChangeMs,
  onServerNow,
  createStream,
}: FeedOptions<Snapshot>): Feed<Snapshot> {
  const listeners = new Set<() => void>();
  let current = initial;
  let stream: EventStream | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;

  /** The first event changes most of a page, so each listener renders in its own task, or a phone would be blocked. */
  function setSnapshot(next: Snapshot): void {
    const isFirst = current.event === undefined && next.event !== undefined;
    current = next;
    for (const listener of listeners) {
      if (isFirst) setTimeout(listener);
      else listener();
    }
  }

  function onMessage({ kind, data, ageMs }: StreamMessage): void {
    if (kind === 'state') onState(data, ageMs);
    else if (kind === 'alive') onAlive(data, ageMs);
    else onStale();
  }

  function onState(data: string, ageMs: number): void {
    const applied = applyEvent(data, current);
    if (!applied) return;
    onServerNow(applied.serverNow + ageMs);
    setSnapshot({ ...applied.snapshot, isUnknown: false });
    const dueMs = Math.min(MAX_SILENCE_MS, nextChangeMs(applied.snapshot) + GRACE_MS);
    startWatchdog(Math.max(GRACE_MS, dueMs - ageMs));
  }

  function onAlive(data: string, ageMs: number): void {
    const serverNow = parseAliveEvent(data);
    if (serverNow === undefined || !current.event) return;
    onServerNow(serverNow + ageMs);
    if (current.status !== 'live') setSnapshot({ ...current, status: 'live', isUnknown: false });
    startWatchdog(Math.max(GRACE_MS, MAX_SILENCE_MS - ageMs));
  }

  function onStale(): void {
    if (!current.isUnknown) setSnapshot({ ...current, status: 'stale', isUnknown: true });
    startWatchdog(MAX_SILENCE_MS);
  }

  function onLost(): void {
    // A second loss without an event in between is a silence.
    const { status, event } = current;
    const isUnknown = current.isUnknown || (status === 'stale' && event !== undefined);
    setSnapshot({ ...current, status: event ? 'stale' : 'connecting', isUnknown });
    startWatchdog(getReopenDelayMs());
  }

  function startWatchdog(ms: number): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      // A stream that never sent an event may be blocked on its way. It says nothing about the server.
      setSnapshot({
        ...current,
        status: 'stale',
        isUnknown: current.isUnknown || current.event !== undefined,
      });
      stream?.reopen();
      startWatchdog(GRACE_MS);
    }, ms);
  }

  function onVisibilityChange(): void {
    if (document.visibilityState === 'visible') {
      stream ??= createStream({ onMessage, onLost });
      stream.open();
      startWatchdog(GRACE_MS);
      return;
    }
    stream?.close();
    clearTimeout(watchdog);
    // The first event after the return covers an unknown time, so its differences are not shown as new.
    if (current.event) current = { ...current, status: 'connecting' };
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        document.addEventListener('visibilitychange', onVisibilityChange);
        onVisibilityChange();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', onVisibilityChange);
        stream?.close();
        clearTimeout(watchdog);
      };
    },
    snapshot: () => current,
  };
}

/** Returns the clock of an `alive` event. */
function parseAliveEvent(text: string): number | undefined {
  const data = parseJson(text);
  return isRecord(data) && isNumber(data.serverNow) ? data.serverNow : undefined;
}
