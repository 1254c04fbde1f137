import type { EventStream, StreamMessage } from './event-stream';
import { isLike, isRecord, parseJson } from './parse-json';

/** The base of every snapshot. */
export interface FeedSnapshot {
  /**
   * `connecting`: no event yet. `stale`: an event that was due did not arrive, or the server cannot read the state.
   * `refused`: the visitor has to sign in; the feed stays closed until the tab is shown again.
   */
  status: 'connecting' | 'live' | 'stale' | 'refused';
  event: { serverNow: number } | undefined;
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
  /** Merges an event into the last snapshot. Returns `undefined` for an invalid event, which counts as silence. */
  applyEvent(text: string, before: Snapshot): Snapshot | undefined;
  /** Returns the time until the next event that is due without a call, in ms. Default: infinite. */
  nextChangeMs?: (snapshot: Snapshot) => number;
  /** Called with each instant that the server sends, plus the age of its message. */
  onServerNow(serverNow: number): void;
  createStream(onMessage: (message: StreamMessage) => void): EventStream;
}

/** Longest silence of a healthy stream: the server sends a heartbeat at least every 5 s. */
const MAX_SILENCE_MS = 9_000;
/** Longest delay of an event that is due. */
const GRACE_MS = 4_000;
/** After this many failures, the delay is 16 to 32 s and does not grow. */
const MAX_FAILURES = 4;

/** Returns a random delay, so that the viewers of a restarted node do not reconnect all at once. */
function getReopenDelayMs(failures: number): number {
  return 1_000 * 2 ** Math.min(failures, MAX_FAILURES) * (1 + Math.random());
}

/** Creates a feed: one stream for all subscribers of a page. A hidden tab closes it: browsers allow six connections per origin. */
export function createFeed<Snapshot extends FeedSnapshot>({
  initial,
  applyEvent,
  nextChangeMs = () => Number.POSITIVE_INFINITY,
  onServerNow,
  createStream,
}: FeedOptions<Snapshot>): Feed<Snapshot> {
  const listeners = new Set<() => void>();
  let current = initial;
  let stream: EventStream | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Connections in a row that brought no event. */
  let failures = 0;

  /** The first event changes most of a page, so each listener renders in its own task, or a phone would be blocked. */
  function setSnapshot(next: Snapshot): void {
    const isFirst = current.event === undefined && next.event !== undefined;
    current = next;
    for (const listener of listeners) {
      if (isFirst) setTimeout(listener);
      else listener();
    }
  }

  function onMessage(message: StreamMessage): void {
    if (message.kind === 'refused') onRefused();
    else if (message.kind === 'lost') onLost(message.retryAfterMs);
    else if (message.kind === 'state') onState(message.data, message.ageMs);
    else if (message.kind === 'alive') onAlive(message.data, message.ageMs);
    else onStale();
  }

  function onState(data: string, ageMs: number): void {
    const applied = applyEvent(data, current);
    if (!applied?.event) return;
    onServerNow(applied.event.serverNow + ageMs);
    setSnapshot({ ...applied, status: 'live', isUnknown: false });
    const dueMs = Math.min(MAX_SILENCE_MS, nextChangeMs(applied) + GRACE_MS);
    expectMessageWithin(Math.max(GRACE_MS, dueMs - ageMs));
  }

  function onAlive(data: string, ageMs: number): void {
    const alive = parseEvent(data, { serverNow: 0 });
    if (!alive || !current.event) return;
    onServerNow(alive.serverNow + ageMs);
    if (current.status !== 'live') setSnapshot({ ...current, status: 'live', isUnknown: false });
    expectMessageWithin(Math.max(GRACE_MS, MAX_SILENCE_MS - ageMs));
  }

  function onStale(): void {
    if (!current.isUnknown) setSnapshot({ ...current, status: 'stale', isUnknown: true });
    expectMessageWithin(MAX_SILENCE_MS);
  }

  function onLost(retryAfterMs: number): void {
    // A second loss without an event in between is a silence.
    const { status, event } = current;
    const isUnknown = current.isUnknown || (status === 'stale' && event !== undefined);
    setSnapshot({ ...current, status: event || failures > 0 ? 'stale' : 'connecting', isUnknown });
    startTimer(retryAfterMs + getReopenDelayMs(failures), reopen);
  }

  function onRefused(): void {
    close();
    setSnapshot({ ...current, status: 'refused' });
  }

  function onSilence(): void {
    // A stream that never sent an event may be blocked on its way. It says nothing about the server.
    const isUnknown = current.isUnknown || current.event !== undefined;
    setSnapshot({ ...current, status: 'stale', isUnknown });
    reopen();
  }

  function expectMessageWithin(ms: number): void {
    failures = 0;
    startTimer(ms, onSilence);
  }

  function reopen(): void {
    failures += 1;
    stream?.open();
    startTimer(Math.max(GRACE_MS, getReopenDelayMs(failures)), onSilence);
  }

  function startTimer(ms: number, onTime: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(onTime, ms);
  }

  function close(): void {
    stream?.close();
    clearTimeout(timer);
  }

  function onVisibilityChange(): void {
    if (document.visibilityState === 'visible') {
      stream ??= createStream(onMessage);
      stream.open();
      expectMessageWithin(GRACE_MS);
      return;
    }
    close();
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
        close();
      };
    },
    snapshot: () => current,
  };
}

/**
 * Parses an event whose fields are like those of an example. A missing field has the value in `missing`; a missing list,
 * which an older node does not send, is else empty. Returns `undefined` for an invalid event.
 */
export function parseEvent<Event extends object>(
  text: string,
  example: Event,
  missing: Partial<Event> = {},
): Event | undefined {
  const data = parseJson(text);
  if (!isRecord(data)) return undefined;
  const lists = Object.keys(example).filter((field) => Array.isArray(Reflect.get(example, field)));
  const event = { ...Object.fromEntries(lists.map((field) => [field, []])), ...missing, ...data };
  return isLike(event, example) ? event : undefined;
}
