import type { Log } from '../observability/log';

/** One open stream; a Node `ServerResponse` fits. */
export interface StreamViewer {
  write(chunk: Buffer): boolean;
  /** Bytes that wait because the viewer reads slowly. */
  readonly writableLength: number;
  end(): unknown;
  /** Closes the connection and discards queued bytes. */
  destroy(): unknown;
  once(event: 'close', onClose: () => void): unknown;
}

/** A serialised state. */
export interface StreamEvent {
  /** Equal for two states if the second does not need to be sent. */
  key: string;
  bytes: Buffer;
  /** Returns the first bytes of a new viewer, if they differ. */
  first?: () => Buffer;
  /** The bytes of an `alive` event, sent every `ALIVE_AFTER_MS` and after an outage. */
  alive: Buffer;
}

export interface EventHubOptions<State> {
  /** Reads the state. Never called twice at once. */
  read: () => Promise<State>;
  encode: (state: State) => StreamEvent;
  /** Pause between two reads, in ms. It is the minimum time between two events. */
  pollMs: number;
  /**
   * A viewer with more queued bytes is disconnected, because it would never catch up. Minimum: twice a first event.
   * Default: 256 KiB, about a minute of a shopper's events.
   */
  maxQueuedBytes?: number;
  /** Called with the number of viewers on each change. */
  onViewers?: (count: number) => void;
  log: Pick<Log, 'warn' | 'info'>;
}

export interface ViewerOptions {
  /** Called every 15 s. The stream ends if it returns false. Default: returns true. */
  isAllowed?: IsAllowed;
}

type IsAllowed = () => boolean | Promise<boolean>;

interface Stream {
  /** The `key` of the last event that was sent. */
  lastKey?: string;
  isAllowed: IsAllowed;
}

/** Sends one state to all viewers: reads it once, serialises it once, writes the same bytes to each. */
export interface EventHub {
  /** Sends the state to a new viewer, immediately and then on each change, until it disconnects. */
  add(viewer: StreamViewer, options?: ViewerOptions): void;
  /** Ends all streams, and those of later viewers immediately. */
  close(): void;
}

const COMMENT_MS = 15_000;
/** Interval of `alive` events. A browser does not report comments to the page. */
const ALIVE_AFTER_MS = 5_000;

/** The first bytes of each stream: the reconnect delay of browsers, in ms. */
const GREETING = Buffer.from('retry: 1000\n\n');
const COMMENT = Buffer.from(':\n\n');
const STALE = Buffer.from('event: stale\ndata: {}\n\n');
/** Failed reads in a row before the first `stale` event. One failure may be a single slow reply. */
const STALE_AFTER_FAILURES = 2;
/** Failed reads between two `stale` events: 2 to 4 s with `pollMs` 250, more than 8 s with 1,000. */
const STALE_EVERY_FAILURES = 8;

/**
 * Creates a hub that polls only while it has viewers. If the state cannot be read, viewers stay connected with the last
 * one; the first failure and the recovery are logged. From the second failure in a row, viewers get `stale` events; an
 * `alive` event ends the outage.
 */
export function createEventHub<State>({
  read,
  encode,
  pollMs,
  maxQueuedBytes = 256 * 1024,
  onViewers,
  log,
}: EventHubOptions<State>): EventHub {
  const aliveEvery = Math.ceil(ALIVE_AFTER_MS / pollMs);
  const viewers = new Map<StreamViewer, Stream>();
  let reading: Promise<StreamEvent | undefined> | undefined;
  let readings = 0;
  let failures = 0;
  let closed = false;
  let pollTimer: NodeJS.Timeout | undefined;
  let commentTimer: NodeJS.Timeout | undefined;

  async function readEvent(): Promise<StreamEvent | undefined> {
    try {
      const event = encode(await read());
      if (failures > 0) log.info('The live state can be read again.');
      if (isStale()) broadcast(event.alive);
      failures = 0;
      return event;
    } catch (err) {
      if (failures === 0) log.warn({ err }, 'The live state cannot be read. Viewers keep the last one.');
      failures += 1;
      if (failures % STALE_EVERY_FAILURES === STALE_AFTER_FAILURES) broadcast(STALE);
      return undefined;
    } finally {
      reading = undefined;
    }
  }

  function isStale(): boolean {
    return failures >= STALE_AFTER_FAILURES;
  }

  /** Concurrent callers share one read. */
  function currentEvent(): Promise<StreamEvent | undefined> {
    reading ??= readEvent();
    return reading;
  }

  function send(viewer: StreamViewer, bytes: Buffer): void {
    if (viewer.writableLength <= maxQueuedBytes) {
      viewer.write(bytes);
      return;
    }
    remove(viewer);
    viewer.destroy();
  }

  function remove(viewer: StreamViewer): void {
    if (!viewers.delete(viewer)) return;
    onViewers?.(viewers.size);
    if (viewers.size > 0) return;
    // Nothing is read without viewers, so an outage may end unseen.
    failures = 0;
    clearTimeout(pollTimer);
    clearInterval(commentTimer);
  }

  function sendEvent(event: StreamEvent, audience: Iterable<StreamViewer>): void {
    const first = event.first && once(event.first);
    for (const viewer of [...audience]) {
      const stream = viewers.get(viewer);
      if (!stream || stream.lastKey === event.key) continue;
      const isFirst = stream.lastKey === undefined;
      stream.lastKey = event.key;
      send(viewer, isFirst && first ? first() : event.bytes);
    }
  }

  async function poll(): Promise<void> {
    const event = await currentEvent();
    if (event) {
      sendEvent(event, viewers.keys());
      readings += 1;
      if (readings % aliveEvery === 0) broadcast(event.alive);
    }
    if (viewers.size > 0) pollLater();
  }

  function pollLater(): void {
    clearTimeout(pollTimer);
    pollTimer = setTimeout(poll, pollMs);
  }

  async function sendFirstEvent(viewer: StreamViewer): Promise<void> {
    viewer.write(GREETING);
    if (isStale()) viewer.write(STALE);
    const event = await currentEvent();
    if (event) sendEvent(event, [viewer]);
  }

  function broadcast(bytes: Buffer): void {
    for (const viewer of [...viewers.keys()]) send(viewer, bytes);
  }

  function sendComments(): void {
    broadcast(COMMENT);
    for (const [viewer, { isAllowed }] of [...viewers]) {
      endStreamIfDenied(viewer, isAllowed).catch((err: unknown) =>
        log.warn({ err }, 'A viewer could not be checked.'),
      );
    }
  }

  async function endStreamIfDenied(viewer: StreamViewer, isAllowed: IsAllowed): Promise<void> {
    if (!(await isAllowed()) && viewers.has(viewer)) endStream(viewer);
  }

  function endStream(viewer: StreamViewer): void {
    remove(viewer);
    viewer.end();
  }

  return {
    add(viewer, { isAllowed = () => true } = {}) {
      if (closed) {
        viewer.end();
        return;
      }
      viewers.set(viewer, { isAllowed });
      viewer.once('close', () => remove(viewer));
      onViewers?.(viewers.size);
      if (viewers.size === 1) {
        pollLater();
        commentTimer = setInterval(sendComments, COMMENT_MS);
      }
      void sendFirstEvent(viewer);
    },
    close() {
      closed = true;
      for (const viewer of [...viewers.keys()]) endStream(viewer);
    },
  };
}

/** Returns a function that calls `make` once and then returns its result. */
function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
