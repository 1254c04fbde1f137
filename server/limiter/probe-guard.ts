import type { Decision } from './decision';
import { StoreUnavailableError, withinStoreTimeout } from './store-error';

/**
 * Limits how many calls are sent at once when a window that refused many calls opens again. The other calls are held:
 * the first replies say how many more may be sent, and when the window is full again the held calls are refused unsent.
 */
export interface ProbeGuard {
  /** Sends a call, or holds it first. */
  decide(key: string, call: GuardedCall): Promise<Decision>;
  /** Returns true if calls of a key are in flight or held. */
  isBusy(key: string): boolean;
}

export interface GuardedCall {
  /** Start of the caller's wait, by `performance.now()`. */
  startedAt: number;
  /** Sends the call. Rejects with a `StoreUnavailableError` of kind `timeout` after `timeoutMs`. */
  send: () => Promise<Decision>;
  /** Returns the decision, if it has become certain while the call was held. */
  findDecision: () => Decision | undefined;
}

/** The calls of one key. */
interface Queue {
  /** Calls in flight. */
  sending: number;
  /** The largest number of calls in flight. */
  width: number;
  held: Set<Held>;
  /** Time of the last reply of the store, by `performance.now()`. */
  repliedAt: number;
}

interface Held {
  release: () => void;
  fail: (error: unknown) => void;
}

/** The number of first calls of an open window. One is not enough, because another level may refuse it. */
export const PROBES = 4;

/** Every call waits at least this long for its reply, even if it was held for most of its timeout. */
const MIN_WAIT_MS = 30;

/** Keeps one queue per key in the memory of this node. Held calls fail if the store sends no reply for `timeoutMs`. */
export function createProbeGuard({ timeoutMs }: { timeoutMs: number }): ProbeGuard {
  const shortestWaitMs = Math.min(MIN_WAIT_MS, timeoutMs);
  const queues = new Map<string, Queue>();

  function queueOf(key: string): Queue {
    const queue = queues.get(key) ?? { sending: 0, width: PROBES, held: new Set(), repliedAt: -Infinity };
    queues.set(key, queue);
    return queue;
  }

  const leftMs = (startedAt: number) => startedAt + timeoutMs - performance.now();

  /**
   * Holds a call until a call in flight ends, at most until its own timeout if the store replies to other calls. Rejects
   * if the store did not reply for a full timeout.
   */
  function hold(queue: Queue, startedAt: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const leave = () => {
        clearTimeout(timer);
        queue.held.delete(held);
      };
      const held: Held = {
        release() {
          leave();
          queue.sending += 1;
          resolve();
        },
        fail(error) {
          leave();
          reject(error);
        },
      };
      const heldAt = performance.now();
      const checkTime = () => {
        // Reads arrived replies first, see `withinStoreTimeout`.
        setImmediate(() => {
          if (!queue.held.has(held)) return;
          if (queue.repliedAt >= heldAt) held.release();
          else timer = setTimeout(checkTime, shortestWaitMs);
        });
      };
      queue.held.add(held);
      timer = setTimeout(checkTime, leftMs(startedAt) - shortestWaitMs);
    });
  }

  /** Sends a call. Its caller stops waiting at its own timeout; held calls fail only after a full timeout of the store. */
  function send(queue: Queue, call: GuardedCall): Promise<Decision> {
    const reply = call.send();
    reply.then(
      (decision) => {
        queue.repliedAt = performance.now();
        queue.width = Math.max(PROBES, remainingUnits(decision));
      },
      (error: unknown) => {
        if (!(error instanceof StoreUnavailableError && error.hasNoReply))
          queue.repliedAt = performance.now();
        else if (error.kind === 'timeout') for (const { fail } of queue.held) fail(error);
      },
    );
    return withinStoreTimeout(reply, Math.max(shortestWaitMs, leftMs(call.startedAt)));
  }

  /** Releases held calls, also after a call that was not sent. */
  function endCall(key: string, queue: Queue): void {
    queue.sending -= 1;
    for (const { release } of queue.held) {
      if (queue.sending >= queue.width) break;
      release();
    }
    if (queue.sending === 0) queues.delete(key);
  }

  return {
    isBusy: (key) => queues.has(key),

    async decide(key, call) {
      const queue = queueOf(key);
      const isHeld = queue.sending >= queue.width;
      if (isHeld) await hold(queue, call.startedAt);
      else queue.sending += 1;
      try {
        return (isHeld ? call.findDecision() : undefined) ?? (await send(queue, call));
      } finally {
        endCall(key, queue);
      }
    },
  };
}

/** Returns the number of calls that the widest level still admits, also if another level refused the call. */
function remainingUnits({ levels }: Decision): number {
  return levels.at(-1)?.remaining ?? 0;
}
