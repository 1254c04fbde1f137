import { getOrCreate } from '../get-or-create';
import { runAfterReplies } from '../stores/event-loop';
import { StoreUnavailableError } from '../stores/store-error';
import { withinStoreTimeout } from '../stores/store-timeout';
import type { Decision } from './decision';

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

interface GuardedKey {
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

/** Keeps the guarded keys of this node in memory. Held calls fail if the store sends no reply for `timeoutMs`. */
export function createProbeGuard({ timeoutMs }: { timeoutMs: number }): ProbeGuard {
  const shortestWaitMs = Math.min(MIN_WAIT_MS, timeoutMs);
  const guardedKeys = new Map<string, GuardedKey>();

  const leftMs = (startedAt: number) => startedAt + timeoutMs - performance.now();

  /**
   * Holds a call until a call in flight ends, at most until its own timeout if the store replies to other calls. Rejects
   * if the store did not reply for a full timeout.
   */
  function hold(guarded: GuardedKey, startedAt: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const leave = () => {
        clearTimeout(timer);
        guarded.held.delete(held);
      };
      const held: Held = {
        release() {
          leave();
          guarded.sending += 1;
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
        runAfterReplies(() => {
          if (!guarded.held.has(held)) return;
          if (guarded.repliedAt >= heldAt) held.release();
          else timer = setTimeout(checkTime, shortestWaitMs);
        });
      };
      guarded.held.add(held);
      timer = setTimeout(checkTime, leftMs(startedAt) - shortestWaitMs);
    });
  }

  /** Sends a call. Its caller stops waiting at its own timeout; held calls fail only after a full timeout of the store. */
  function send(guarded: GuardedKey, call: GuardedCall): Promise<Decision> {
    const reply = call.send();
    reply.then(
      (decision) => {
        guarded.repliedAt = performance.now();
        // The last level is the widest. It has room also if another level refused the call.
        guarded.width = Math.max(PROBES, decision.levels.at(-1)?.remaining ?? 0);
      },
      (error: unknown) => {
        if (!(error instanceof StoreUnavailableError && error.hasNoReply))
          guarded.repliedAt = performance.now();
        else if (error.kind === 'timeout') for (const { fail } of guarded.held) fail(error);
      },
    );
    return withinStoreTimeout(reply, Math.max(shortestWaitMs, leftMs(call.startedAt)));
  }

  /** Releases held calls, also after a call that was not sent. */
  function endCall(key: string, guarded: GuardedKey): void {
    guarded.sending -= 1;
    for (const { release } of guarded.held) {
      if (guarded.sending >= guarded.width) break;
      release();
    }
    if (guarded.sending === 0) guardedKeys.delete(key);
  }

  return {
    isBusy: (key) => guardedKeys.has(key),

    async decide(key, call) {
      const guarded = getOrCreate(guardedKeys, key, () => ({
        sending: 0,
        width: PROBES,
        held: new Set<Held>(),
        repliedAt: Number.NEGATIVE_INFINITY,
      }));
      const isHeld = guarded.sending >= guarded.width;
      if (isHeld) await hold(guarded, call.startedAt);
      else guarded.sending += 1;
      try {
        return (isHeld ? call.findDecision() : undefined) ?? (await send(guarded, call));
      } finally {
        endCall(key, guarded);
      }
    },
  };
}
