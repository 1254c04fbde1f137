import { stopwatch } from './clock';
import { isRecord } from './parse-json';

/** A message of a stream. The subscriber parses its text. */
export interface StreamMessage {
  /**
   * `state`: a new state. `alive`: a heartbeat of the server while nothing changes. `stale`: the server cannot read the
   * state.
   */
  kind: 'state' | 'alive' | 'stale';
  data: string;
  /** Time since the server sent it; 0 for a message that has just arrived. */
  ageMs: number;
}

export interface StreamHandlers {
  onMessage(message: StreamMessage): void;
  /** Called when the connection is lost. The browser reconnects unless the server answered with an error. */
  onLost(): void;
}

/** The URL of a stream and the name of its state events. */
interface StreamAddress {
  url: string;
  stateEvent: string;
}

/** A stream of the server that can be opened and closed repeatedly. */
export interface EventStream {
  open(): void;
  close(): void;
  /** Opens a new connection. A tab without the connection requests the last messages instead. */
  reopen(): void;
}

/**
 * Creates a stream that all tabs of a browser share, because browsers allow six connections per origin. The tab that
 * holds the lock owns the connection and broadcasts its messages. Closing passes the lock to a waiting tab, so close the
 * stream in hidden tabs. Without the Web Locks API (insecure contexts, such as a LAN address) each tab connects itself.
 */
export function createStream(address: StreamAddress, handlers: StreamHandlers): EventStream {
  const isShareable = 'locks' in navigator && typeof BroadcastChannel === 'function';
  return isShareable ? createSharedStream(address, handlers) : createOwnStream(address, handlers);
}

/** Creates a stream with a connection that belongs to this tab only. */
export function createOwnStream(
  { url, stateEvent }: StreamAddress,
  { onMessage, onLost }: StreamHandlers,
): EventStream {
  const names = { state: stateEvent, alive: 'alive', stale: 'stale' } as const satisfies Record<
    StreamMessage['kind'],
    string
  >;
  let source: EventSource | undefined;

  function close(): void {
    source?.close();
    source = undefined;
  }

  function open(): void {
    close();
    source = new EventSource(url);
    for (const kind of kinds) {
      source.addEventListener(names[kind], ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') onMessage({ kind, data, ageMs: 0 });
      });
    }
    source.addEventListener('error', onLost);
  }

  return { open, close, reopen: open };
}

const kinds = ['state', 'alive', 'stale'] as const satisfies StreamMessage['kind'][];

/** A message between tabs. `request-last` requests the last messages of the tab that owns the connection. */
type TabMessage = { kind: 'request-last' } | { kind: 'message'; message: StreamMessage } | { kind: 'lost' };

function createSharedStream(address: StreamAddress, { onMessage, onLost }: StreamHandlers): EventStream {
  const name = `floodgate:stream:${address.url}`;
  let leave: (() => void) | undefined;
  let reopen: () => void = () => undefined;

  function open(): void {
    leave?.();
    const channel = new BroadcastChannel(name);
    const leaving = new AbortController();
    const post = (message: TabMessage) => channel.postMessage(message);
    /** The last message of each kind and its arrival time, for tabs that join later. */
    const lastMessages = new Map<StreamMessage['kind'], { data: string; at: number }>();
    let own: EventStream | undefined;

    function connect(): Promise<void> {
      own = createOwnStream(address, {
        onMessage(message) {
          // The last message of the list is the newest. Each message ends an earlier `stale`.
          lastMessages.delete('stale');
          lastMessages.delete(message.kind);
          lastMessages.set(message.kind, { data: message.data, at: stopwatch.now() });
          post({ kind: 'message', message });
          onMessage(message);
        },
        onLost() {
          lastMessages.clear();
          post({ kind: 'lost' });
          onLost();
        },
      });
      own.open();
      return new Promise((resolve) => {
        leaving.signal.addEventListener('abort', () => {
          own?.close();
          resolve();
        });
      });
    }

    function resendLastMessages(): void {
      for (const [kind, { data, at }] of lastMessages) {
        post({ kind: 'message', message: { kind, data, ageMs: stopwatch.now() - at } });
      }
    }

    channel.addEventListener('message', ({ data: received }: MessageEvent<unknown>) => {
      if (!isTabMessage(received)) return;
      if (received.kind === 'request-last') resendLastMessages();
      // The owner reads the stream itself. Messages of a former owner are older.
      else if (own) return;
      else if (received.kind === 'lost') onLost();
      else onMessage(received.message);
    });
    // If the lock fails for another reason than `leave`, such as blocked storage, this tab connects itself.
    navigator.locks
      .request(name, { signal: leaving.signal }, connect)
      .catch(() => (leaving.signal.aborted ? undefined : connect()));
    post({ kind: 'request-last' });

    reopen = () => {
      if (own) own.reopen();
      else post({ kind: 'request-last' });
    };
    leave = () => {
      leaving.abort();
      channel.close();
    };
  }

  return {
    open,
    close() {
      leave?.();
      leave = undefined;
    },
    reopen: () => reopen(),
  };
}

/** Checks a message, because another tab may run another version of this file. */
function isTabMessage(value: unknown): value is TabMessage {
  if (!isRecord(value)) return false;
  if (value.kind !== 'message') return value.kind === 'request-last' || value.kind === 'lost';
  const { message } = value;
  return (
    isRecord(message) &&
    kinds.some((kind) => kind === message.kind) &&
    typeof message.data === 'string' &&
    typeof message.ageMs === 'number'
  );
}
