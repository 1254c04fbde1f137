import { areRequestsIsolated, monotonicMs, runAfterReplies, startTimer } from './event-loop';
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
  const call = { endsAt: monotonicMs() + timeoutMs, reject };
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

/** The calls that wait equally long, in the order of their ends, by their timeout. */
const waitingCalls = new Map<number, Set<WaitingCall>>();

/**
 * Returns the calls that wait for `timeoutMs`. They have one timer, which starts anew until none waits, because a timer of its
 * own takes a fifth of the time that a decision takes in this process. A timer of a worker belongs to its request.
 */
function callsWithin(timeoutMs: number): Set<WaitingCall> {
  const known = waitingCalls.get(timeoutMs);
  if (known) return known;
  const calls = new Set<WaitingCall>();
  if (!areRequestsIsolated) waitingCalls.set(timeoutMs, calls);
  function endCalls(): void {
    const now = monotonicMs();
    for (const call of calls) {
      if (call.endsAt > now) {
        startTimer(endCalls, call.endsAt - now);
        return;
      }
      // A node under load finds the timer and the reply due at once, and reads its sockets after its timers.
      runAfterReplies(() => {
        if (!calls.delete(call)) return;
        const message = `the store did not reply within ${timeoutMs} ms`;
        call.reject(new StoreUnavailableError(message, { kind: 'timeout' }));
      });
    }
    waitingCalls.delete(timeoutMs);
  }
  startTimer(endCalls, timeoutMs);
  return calls;
}
