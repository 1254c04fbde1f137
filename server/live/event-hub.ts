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

/** A state as it goes out. */
export interface StreamEvent {
  /** What two states share exactly if nobody has to be told of the second. */
  key: string;
  bytes: Buffer;
  /** What a viewer is told first, where that is more. */
  first?: () => Buffer;
  /** Says that nothing else has to be said. */
  alive: Buffer;
}

export interface EventHubOptions<State> {
  /** Reads what everybody sees. Never called twice at once. */
  read: () => Promise<State>;
  encode: (state: State) => StreamEvent;
  /** How long after one reading the next begins, in ms: the least time between two events. */
  pollMs: number;
  /**
   * A viewer for whom more bytes wait is cut off: it would never catch up. At least twice a first event. Default:
   * 256 KiB, about a minute of what shoppers see.
   */
  maxQueuedBytes?: number;
  /** Told how many viewers there are, whenever that changes. */
  onViewers?: (count: number) => void;
  log: Pick<Log, 'warn' | 'info'>;
}

export interface ViewerOptions {
  /** Whether the viewer may go on looking; asked every 15 s, and where it may not its stream ends. Default: it may. */
  mayStay?: MayStay;
}

type MayStay = () => boolean | Promise<boolean>;

interface Viewing {
  /** The `key` of what the viewer has seen last. */
  seen?: string;
  mayStay: MayStay;
}

/** Shows one state to all viewers: reads it once, serialises it once, writes the same bytes to each. */
export interface EventHub {
  /** Shows the state to one more viewer, at once and then on each change, until it leaves. */
  add(viewer: StreamViewer, options?: ViewerOptions): void;
  /** Ends all streams; a viewer that comes later is ended at once. */
  close(): void;
}

const COMMENT_MS = 15_000;
/** After this time viewers hear that the state is still being read: a browser cannot see comments. */
const ALIVE_AFTER_MS = 5_000;

/** First bytes of each stream: how soon a browser comes back after a cut, in ms. */
const GREETING = Buffer.from('retry: 1000\n\n');
const COMMENT = Buffer.from(':\n\n');

/**
 * Polls only while somebody looks. A state that cannot be read leaves viewers connected with what they have; the log
 * hears once that it began and once that it is over.
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

  /** Whoever asks while a reading is under way shares it. */
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
    for (const [viewer, { mayStay }] of [...viewers]) {
      dismissUnless(mayStay, viewer).catch((err: unknown) => log.warn({ err }, 'a viewer cannot be checked'));
    }
  }

  async function dismissUnless(mayStay: MayStay, viewer: StreamViewer): Promise<void> {
    if (!(await mayStay()) && viewers.has(viewer)) dismiss(viewer);
  }

  function dismiss(viewer: StreamViewer): void {
    remove(viewer);
    viewer.end();
  }

  return {
    add(viewer, { mayStay = () => true } = {}) {
      if (closed) {
        viewer.end();
        return;
      }
      viewers.set(viewer, { mayStay });
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
