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

/** Encodes the states of a stream as events. It holds what viewers have been sent. */
export interface StateEncoder<State> {
  /** Returns the next event of all viewers; undefined if nothing has changed since the last one. Called once per poll. */
  next(state: State): Buffer | undefined;
  /** Returns the first event of a viewer. All events that `next` returns later follow it. */
  first(state: State, viewer: ViewerOptions): Buffer;
  /** Returns an `alive` event, sent every `ALIVE_AFTER_MS` and after an outage. */
  alive(state: State): Buffer;
  /** Called when the last viewer has left: states are not read until the next one comes. */
  reset(): void;
}

export interface EventHubOptions<State> {
  /** Reads the state. Never called twice at once. */
  read: () => Promise<State>;
  encoder: StateEncoder<State>;
  /** Reads what the first event of a viewer needs besides the state. Default: nothing. */
  prepareFirst?: (viewer: ViewerOptions) => Promise<unknown>;
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
  /** The coupons whose stock the first event has. Default: none. */
  couponIds?: readonly string[];
}

type IsAllowed = () => boolean | Promise<boolean>;

interface Stream extends ViewerOptions {
  /** `failed`: the state could not be read, so the next successful read sends the first event. */
  first: 'pending' | 'failed' | 'sent';
}

/** Sends the changes of one state to all viewers: reads it once, serialises it once, writes the same bytes to each. */
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
  encoder,
  prepareFirst,
  pollMs,
  maxQueuedBytes = 256 * 1024,
  onViewers,
  log,
}: EventHubOptions<State>): EventHub {
  const aliveEvery = Math.ceil(ALIVE_AFTER_MS / pollMs);
  const viewers = new Map<StreamViewer, Stream>();
  let reading: Promise<State | undefined> | undefined;
  /** The state of the last read; undefined if it failed. */
  let latest: State | undefined;
  let readings = 0;
  let failures = 0;
  let closed = false;
  let pollTimer: NodeJS.Timeout | undefined;
  let commentTimer: NodeJS.Timeout | undefined;

  async function readState(): Promise<State | undefined> {
    try {
      const state = await read();
      latest = state;
      if (failures > 0) log.info('The live state can be read again.');
      if (isStale()) broadcast(encoder.alive(state));
      failures = 0;
      return state;
    } catch (err) {
      latest = undefined;
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
  function currentState(): Promise<State | undefined> {
    reading ??= readState();
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
    encoder.reset();
    clearTimeout(pollTimer);
    clearInterval(commentTimer);
  }

  async function poll(): Promise<void> {
    const state = await currentState();
    if (state !== undefined && viewers.size > 0) {
      const event = encoder.next(state);
      for (const [viewer, { first }] of [...viewers]) {
        if (first === 'failed') sendFirstEvent(viewer);
        else if (first === 'sent' && event) send(viewer, event);
      }
      readings += 1;
      if (readings % aliveEvery === 0) broadcast(encoder.alive(state));
    }
    if (viewers.size > 0) pollLater();
  }

  function pollLater(): void {
    clearTimeout(pollTimer);
    pollTimer = setTimeout(poll, pollMs);
  }

  function sendFirstEvent(viewer: StreamViewer): void {
    const stream = viewers.get(viewer);
    if (!stream) return;
    stream.first = 'pending';
    Promise.all([currentState(), prepareFirst?.(stream)]).then(
      ([own]) => {
        // A later read may have been sent to the others meanwhile.
        const state = own && latest;
        if (!viewers.has(viewer)) return;
        stream.first = state === undefined ? 'failed' : 'sent';
        if (state !== undefined) send(viewer, encoder.first(state, stream));
      },
      (err: unknown) => {
        stream.first = 'failed';
        log.warn({ err }, 'The first event of a viewer could not be read.');
      },
    );
  }

  function broadcast(bytes: Buffer): void {
    for (const viewer of [...viewers.keys()]) send(viewer, bytes);
  }

  function sendComments(): void {
    broadcast(COMMENT);
    for (const [viewer, { isAllowed }] of [...viewers]) {
      if (!isAllowed) continue;
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
    add(viewer, options = {}) {
      if (closed) {
        viewer.end();
        return;
      }
      viewers.set(viewer, { ...options, first: 'pending' });
      viewer.once('close', () => remove(viewer));
      onViewers?.(viewers.size);
      if (viewers.size === 1) {
        pollLater();
        commentTimer = setInterval(sendComments, COMMENT_MS);
      }
      viewer.write(GREETING);
      if (isStale()) viewer.write(STALE);
      sendFirstEvent(viewer);
    },
    close() {
      closed = true;
      for (const viewer of [...viewers.keys()]) endStream(viewer);
    },
  };
}

/** Encodes an event. */
export function eventText(event: string, data: unknown): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
