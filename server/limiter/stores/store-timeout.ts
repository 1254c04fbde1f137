import { areRequestsIsolated, runAfterReplies } from './event-loop';
import { StoreUnavailableError } from './store-error';

/** Returns the reply of the store. Rejects with a `StoreUnavailableError` after `timeoutMs`, or if the store fails. */
export function withinStoreTimeout<Reply>(reply: Promise<Reply>, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => settleWithin(reply, { timeoutMs, resolve, reject }));
}

/** Passes the reply or the error of `withinStoreTimeout` to a function. */
export function settleWithin<Reply>(
  reply: Promise<Reply>,
  {
    timeoutMs,
    resolve,
    reject,
  }: { timeoutMs: number; resolve: (reply: Reply) => void; reject: (error: StoreUnavailableError) => void },
): void {
  const call = { endsAt: performance.now() + timeoutMs, reject };
  const calls = callsWithin(timeoutMs);
  calls.add(call);
  reply.then(
    (value) => {
      if (calls.delete(call)) resolve(value);
    },
    (cause: unknown) => {
      if (!calls.delete(call)) return;
      if (cause instanceof StoreUnavailableError) reject(cause);
      else reject(new StoreUnavailableError('the store failed', { cause }));
    },
  );
}

/** A call that waits for the store. */
interface WaitingCall {
  endsAt: number;
  reject: (error: StoreUnavailableError) => void;
}

/** The calls that wait equally long, in the order of their ends, with the function that started their timer. */
interface WaitingCalls {
  calls: Set<WaitingCall>;
  setTimer: typeof setTimeout;
}

const waitingCalls = new Map<number, WaitingCalls>();

/**
 * Returns the calls that wait for `timeoutMs`. They have one timer, which starts anew until none waits, because a timer of its
 * own takes a fifth of the time that a decision takes in this process. A timer of a worker belongs to its request, and one of
 * a test to its fake timers.
 */
function callsWithin(timeoutMs: number): Set<WaitingCall> {
  const { setTimeout: setTimer } = globalThis;
  const known = waitingCalls.get(timeoutMs);
  if (known?.setTimer === setTimer) return known.calls;
  const calls = new Set<WaitingCall>();
  const own = { calls, setTimer };
  if (!areRequestsIsolated) waitingCalls.set(timeoutMs, own);

  /** Ends the calls whose time is over. Does not keep the process running: what a call waits for does. */
  function endAfter(ms: number): void {
    const timer: { unref?(): void } | number = setTimer(endCalls, ms);
    if (typeof timer === 'object') timer.unref?.();
  }

  function endCalls(): void {
    const now = performance.now();
    for (const call of calls) {
      if (call.endsAt > now) {
        endAfter(call.endsAt - now);
        return;
      }
      // A node under load finds the timer and the reply due at once, and reads its sockets after its timers.
      runAfterReplies(() => {
        if (!calls.delete(call)) return;
        const message = `the store did not reply within ${timeoutMs} ms`;
        call.reject(new StoreUnavailableError(message, { kind: 'timeout' }));
      });
    }
    if (waitingCalls.get(timeoutMs) === own) waitingCalls.delete(timeoutMs);
  }

  endAfter(timeoutMs);
  return calls;
}
