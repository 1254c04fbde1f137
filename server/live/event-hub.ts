import type { Log } from '../observability/log';

/** One open stream; a Node `ServerResponse` fits. */
export interface StreamViewer {
  write(chunk: Buffer): boolean;
  /** Bytes that wait because the viewer reads slowly. */
  readonly writableLength: number;
  end(): unknown;
  /** Cuts the connection without waiting for what is queued. */
  destroy(): unknown;
  once(event: 'close', left: () => void): unknown;
}

/** A serialised state. */
export interface StreamEvent {
  /** Equal for two states if the second does not need to be sent. */
  key: string;
  bytes: Buffer;
  /** Returns the first bytes of a new viewer, if they differ. */
  first?: () => Buffer;
  /** The bytes that are sent when the state has not changed. */
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

interface Viewing {
  /** The `key` of the last event that was sent. */
  seen?: string;
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

/**
 * Creates a hub that polls only while it has viewers. If the state cannot be read, viewers stay connected with the last
 * one; the first failure and the recovery are logged.
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
  const viewers = new Map<StreamViewer, Viewing>();
  let reading: Promise<StreamEvent | undefined> | undefined;
  let readings = 0;
  let failing = false;
  let closed = false;
  let pollTimer: NodeJS.Timeout | undefined;
  let commentTimer: NodeJS.Timeout | undefined;

  async function readEvent(): Promise<StreamEvent | undefined> {
    try {
      const event = encode(await read());
      if (failing) log.info('the live state can be read again');
      failing = false;
      return event;
    } catch (err) {
      if (!failing) log.warn({ err }, 'the live state cannot be read; viewers keep what they have');
      failing = true;
      return undefined;
    } finally {
      reading = undefined;
    }
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
    clearTimeout(pollTimer);
    clearInterval(commentTimer);
  }

  function show(event: StreamEvent, audience: Iterable<StreamViewer>): void {
    const first = event.first && once(event.first);
    for (const viewer of [...audience]) {
      const viewing = viewers.get(viewer);
      if (!viewing || viewing.seen === event.key) continue;
      const isFirst = viewing.seen === undefined;
      viewing.seen = event.key;
      send(viewer, isFirst && first ? first() : event.bytes);
    }
  }

  async function poll(): Promise<void> {
    const event = await currentEvent();
    if (event) {
      show(event, viewers.keys());
      readings += 1;
      if (readings % aliveEvery === 0) broadcast(event.alive);
    }
    if (viewers.size > 0) pollLater();
  }

  function pollLater(): void {
    clearTimeout(pollTimer);
    pollTimer = setTimeout(poll, pollMs);
  }

  async function welcome(viewer: StreamViewer): Promise<void> {
    viewer.write(GREETING);
    const event = await currentEvent();
    if (event) show(event, [viewer]);
  }

  function broadcast(bytes: Buffer): void {
    for (const viewer of [...viewers.keys()]) send(viewer, bytes);
  }

  function keepOpen(): void {
    broadcast(COMMENT);
    for (const [viewer, { isAllowed }] of [...viewers]) {
      dismissUnless(isAllowed, viewer).catch((err: unknown) =>
        log.warn({ err }, 'a viewer cannot be checked'),
      );
    }
  }

  async function dismissUnless(isAllowed: IsAllowed, viewer: StreamViewer): Promise<void> {
    if (!(await isAllowed()) && viewers.has(viewer)) dismiss(viewer);
  }

  function dismiss(viewer: StreamViewer): void {
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
        commentTimer = setInterval(keepOpen, COMMENT_MS);
      }
      void welcome(viewer);
    },
    close() {
      closed = true;
      for (const viewer of [...viewers.keys()]) dismiss(viewer);
    },
  };
}

/** Makes the bytes for the first who needs them. */
function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
