import { stopwatch } from './clock';
import {
  createOwnStream,
  type EventStream,
  type StreamAddress,
  type StreamHandlers,
  type StreamMessage,
} from './event-stream';

/** What tabs say to each other. */
type Word =
  /** A tab has opened the stream and knows nothing yet. */
  { say: 'hello' } | { say: 'message'; message: StreamMessage } | { say: 'lost' };

/**
 * One connection for all tabs of a browser, which allows six to an origin: the tab that holds the lock has the connection
 * and passes on what comes. Closing gives the lock to a tab that waits for it, so close it in hidden tabs. Where a browser
 * has no locks, as in an insecure context on a LAN, each tab has its own.
 */
export function createStream(address: StreamAddress, handlers: StreamHandlers): EventStream {
  const isShareable = 'locks' in navigator && typeof BroadcastChannel === 'function';
  return isShareable ? createSharedStream(address, handlers) : createOwnStream(address, handlers);
}

function createSharedStream(address: StreamAddress, { onMessage, onLost }: StreamHandlers): EventStream {
  const name = `floodgate:${address.url}`;
  let leave: (() => void) | undefined;
  let reopen: () => void = () => undefined;

  function open(): void {
    leave?.();
    const channel = new BroadcastChannel(name);
    const leaving = new AbortController();
    const say = (word: Word) => channel.postMessage(word);
    /** The last message of each kind, and when it came: what a newcomer is told. */
    const told = new Map<StreamMessage['kind'], { data: string; at: number }>();
    let own: EventStream | undefined;

    function lead(): Promise<void> {
      own = createOwnStream(address, {
        onMessage(message) {
          told.set(message.kind, { data: message.data, at: stopwatch.now() });
          say({ say: 'message', message });
          onMessage(message);
        },
        onLost() {
          told.clear();
          say({ say: 'lost' });
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

    function tellAll(): void {
      for (const [kind, { data, at }] of told) {
        say({ say: 'message', message: { kind, data, ageMs: stopwatch.now() - at } });
      }
    }

    channel.addEventListener('message', ({ data: word }: MessageEvent<unknown>) => {
      if (!isWord(word)) return;
      if (word.say === 'hello') tellAll();
      // Who leads hears the stream itself; what still comes from a former leader is older.
      else if (own) return;
      else if (word.say === 'lost') onLost();
      else onMessage(word.message);
    });
    // Refused for another reason than having left, as where a browser blocks its storage: a connection of one's own.
    navigator.locks
      .request(name, { signal: leaving.signal }, lead)
      .catch(() => (leaving.signal.aborted ? undefined : lead()));
    say({ say: 'hello' });

    reopen = () => {
      if (own) own.reopen();
      else say({ say: 'hello' });
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

/** Only this file speaks on the channel, but a tab may still run another version of it. */
function isWord(value: unknown): value is Word {
  if (!isRecord(value)) return false;
  if (value.say !== 'message') return value.say === 'hello' || value.say === 'lost';
  const { message } = value;
  return (
    isRecord(message) &&
    (message.kind === 'state' || message.kind === 'alive') &&
    typeof message.data === 'string' &&
    typeof message.ageMs === 'number'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
