import { stopwatch } from './clock';
import { isRecord } from './parse-json';

/** An event of a stream. The subscriber parses its text. */
interface StreamEvent {
  /**
   * `state`: a new state. `alive`: a heartbeat of the server while nothing changes. `stale`: the server cannot read the
   * state.
   */
  kind: 'state' | 'alive' | 'stale';
  data: string;
  /** Time since the server sent it; 0 for an event that has just arrived. */
  ageMs: number;
}

/** The end of a connection. The stream opens no other one by itself. */
type StreamEnd =
  /** `retryAfterMs`: the minimum delay that the server names. */
  | { kind: 'lost'; retryAfterMs: number }
  /** The visitor has to sign in. */
  | { kind: 'refused' };

export type StreamMessage = StreamEvent | StreamEnd;

interface StreamAddress {
  /** Tabs with the same name share a connection. */
  name: string;
  /** Returns the URL of the next connection. */
  url: () => string;
  /** The name of the state events. */
  stateEvent: string;
  /** Returns true for the data of a state that has all fields, which a joining tab needs. Default: every state has. */
  isComplete?: (data: string) => boolean;
}

/** A stream of the server that can be opened and closed repeatedly. */
export interface EventStream {
  /** Opens a connection in place of the last one. A tab without the connection requests the last events instead. */
  open(): void;
  close(): void;
}

type OnMessage = (message: StreamMessage) => void;

/** Creates a stream with a connection that belongs to this tab only. */
export function createOwnStream(
  { url, stateEvent }: Pick<StreamAddress, 'url' | 'stateEvent'>,
  onMessage: OnMessage,
): EventStream {
  const names = { state: stateEvent, alive: 'alive', stale: 'stale' } as const satisfies Record<
    StreamEvent['kind'],
    string
  >;
  let source: EventSource | undefined;

  function close(): void {
    source?.close();
    source = undefined;
  }

  return {
    open() {
      close();
      const address = url();
      const opened = new EventSource(address);
      source = opened;
      for (const kind of eventKinds) {
        opened.addEventListener(names[kind], ({ data }: MessageEvent<unknown>) => {
          if (typeof data === 'string') onMessage({ kind, data, ageMs: 0 });
        });
      }
      opened.addEventListener('error', async () => {
        const isAnswered = opened.readyState === EventSource.CLOSED;
        // A browser would connect again every second.
        opened.close();
        const end = isAnswered ? await readRefusal(address) : lost;
        if (source === opened) onMessage(end);
      });
    },
    close,
  };
}

const eventKinds = ['state', 'alive', 'stale'] as const satisfies StreamEvent['kind'][];
const lost: StreamEnd = { kind: 'lost', retryAfterMs: 0 };

/** Requests a stream that the server has refused, because an `EventSource` reports no status. */
async function readRefusal(url: string): Promise<StreamEnd> {
  const response = await fetch(url).catch(() => undefined);
  if (!response) return lost;
  await response.body?.cancel();
  if (response.status === 401 || response.status === 403) return { kind: 'refused' };
  return { kind: 'lost', retryAfterMs: 1_000 * (Number(response.headers.get('retry-after')) || 0) };
}

/**
 * Creates a stream that all tabs of a browser share, because browsers allow six connections per origin. The tab that
 * holds the lock owns the connection and broadcasts its messages. Closing passes the lock to a waiting tab, so close the
 * stream in hidden tabs. Without the Web Locks API (insecure contexts, such as a LAN address) each tab connects itself.
 */
export function createSharedStream(address: StreamAddress, onMessage: OnMessage): EventStream {
  if (!('locks' in navigator) || typeof BroadcastChannel !== 'function') {
    return createOwnStream(address, onMessage);
  }
  // Tabs with another version of this file have another name.
  const name = `floodgate:live:${address.name}`;
  let joined: EventStream | undefined;

  return {
    open() {
      if (joined) joined.open();
      else joined = joinTabs(name, { address, onMessage });
    },
    close() {
      joined?.close();
      joined = undefined;
    },
  };
}

/** A message between tabs. `request-last` requests the last events of the tab that owns the connection. */
type TabMessage = { kind: 'request-last' } | StreamMessage;

/** Joins the tabs of a stream until `close`. */
function joinTabs(
  name: string,
  { address, onMessage }: { address: StreamAddress; onMessage: OnMessage },
): EventStream {
  const channel = new BroadcastChannel(name);
  const leaving = new AbortController();
  const post = (message: TabMessage) => channel.postMessage(message);
  const { isComplete = () => true } = address;
  /** The last complete state, the last event of each kind and their arrival times, for tabs that join later. */
  const lastEvents = new Map<StreamEvent['kind'] | 'complete', Omit<StreamEvent, 'ageMs'> & { at: number }>();
  let own: EventStream | undefined;

  function onOwnMessage(message: StreamMessage): void {
    if ('data' in message) {
      // The last event of the list is the newest. Each event ends an earlier `stale`.
      const { kind, data } = message;
      const key = kind === 'state' && isComplete(data) ? 'complete' : kind;
      lastEvents.delete('stale');
      if (key === 'complete') lastEvents.delete('state');
      lastEvents.delete(key);
      lastEvents.set(key, { kind, data, at: stopwatch.now() });
    } else lastEvents.clear();
    post(message);
    onMessage(message);
  }

  function connect(): Promise<void> {
    own = createOwnStream(address, onOwnMessage);
    own.open();
    return new Promise((resolve) => {
      leaving.signal.addEventListener('abort', () => {
        own?.close();
        resolve();
      });
    });
  }

  channel.addEventListener('message', ({ data: received }: MessageEvent<unknown>) => {
    if (!isTabMessage(received)) return;
    if (received.kind !== 'request-last') {
      // The owner reads the stream itself. Messages of a former owner are older.
      if (!own) onMessage(received);
      return;
    }
    for (const { at, ...event } of lastEvents.values()) post({ ...event, ageMs: stopwatch.now() - at });
  });
  // If the lock fails for another reason than `close`, such as blocked storage, this tab connects itself.
  navigator.locks
    .request(name, { signal: leaving.signal }, connect)
    .catch(() => (leaving.signal.aborted ? undefined : connect()));
  post({ kind: 'request-last' });

  return {
    open() {
      if (own) own.open();
      else post({ kind: 'request-last' });
    },
    close() {
      leaving.abort();
      channel.close();
    },
  };
}

const tabKinds = [...eventKinds, 'lost', 'refused', 'request-last'] as const satisfies TabMessage['kind'][];

/** Checks a message, because an extension of the browser may post others. */
function isTabMessage(value: unknown): value is TabMessage {
  return isRecord(value) && tabKinds.some((kind) => kind === value.kind);
}
