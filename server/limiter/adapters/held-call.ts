import { isObservable, type Observable, observable } from '@trpc/server/observable';
import type { Admitted } from '../decide/decision';
import { holdLease } from '../decide/lease';
import type { Reservation } from '../decide/settle';
import type { ProcedureResult, ResolvedPolicy } from '../policy/policy';
import { ignoreOutage } from '../stores/store-error';
import type { DecidingLimiter } from './limited-call';

/** The leases and reservations of one call of a procedure. */
export interface HeldCall {
  /** Holds those of an admitted decision. If the call has ended, its lease is released at once. */
  hold(admitted: Admitted): void;
  /**
   * Settles the reservations, and releases the leases: at once, or when the stream in the returned outcome has ended. Does
   * not wait for the store.
   */
  end<Outcome extends ProcedureResult>(outcome: Outcome, signal: AbortSignal | undefined): Outcome;
  /** Releases the leases of a call whose procedure has not run. */
  release(): void;
}

/** Creates the holder of the leases and reservations of one call of a policy. */
export function createHeldCall<Context>(
  { levels }: ResolvedPolicy<Context>,
  limiter: Pick<DecidingLimiter, 'release' | 'renew' | 'settle'>,
): HeldCall {
  const releases: (() => void)[] = [];
  const reservations: Reservation[] = [];
  let isReleased = false;

  function release(): void {
    isReleased = true;
    for (const releaseLease of releases.splice(0)) releaseLease();
  }

  return {
    hold({ lease, reservation }) {
      if (lease) releases.push(holdLease(limiter, lease));
      if (reservation) reservations.push(reservation);
      if (isReleased) release();
    },
    end(outcome, signal) {
      for (const one of reservations) void ignoreOutage(limiter.settle(one, outcome), false);
      const inFlight = levels.find(({ algorithm }) => algorithm === 'in-flight');
      if (inFlight && outcome.ok && isStream(outcome.data)) {
        const data = watchStream(outcome.data, { signal, unreadMs: inFlight.windowMs, onEnd: release });
        return { ...outcome, data };
      }
      release();
      return outcome;
    },
    release,
  };
}

/** A result of a procedure that goes on after the procedure has returned. */
export type Stream = AsyncIterable<unknown> | Observable<unknown, unknown>;

/**
 * Returns true for an async iterable, such as an async generator, and for an observable of tRPC. A stream of Node or of the
 * web is none, because its readers do not need its iterator.
 */
export function isStream(data: unknown): data is Stream {
  if (typeof data !== 'object' || data === null) return false;
  if (Symbol.asyncIterator in data) return !('pipe' in data || 'getReader' in data);
  return isObservable(data) && typeof data.subscribe === 'function' && 'pipe' in data;
}

/**
 * Returns a stream of the same values that calls `onEnd` when the stream has ended or thrown, when its reader has left, or
 * when the signal aborts. A stream that has no reader after `unreadMs` ends too, because tRPC drops some streams unread:
 * those of a WebSocket that closed before, or of a query over a link that cannot stream.
 */
export function watchStream(
  stream: Stream,
  { signal, unreadMs, onEnd }: { signal: AbortSignal | undefined; unreadMs: number; onEnd: () => void },
): Stream {
  function end(): void {
    clearTimeout(unread);
    signal?.removeEventListener('abort', end);
    onEnd();
  }
  const unread = setTimeout(end, unreadMs);
  // A worker has timers without `unref`.
  unread.unref?.();
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  const reader = { onRead: () => clearTimeout(unread), onEnd: end };
  return Symbol.asyncIterator in stream ? watchIterable(stream, reader) : watchObservable(stream, reader);
}

/** Handlers of the reads and of the end of a stream. They are called more than once. */
interface StreamReader {
  onRead: () => void;
  onEnd: () => void;
}

function watchIterable(iterable: AsyncIterable<unknown>, reader: StreamReader): AsyncIterable<unknown> {
  // A generator is its own iterator, whose methods a caller without a network may call.
  if ('next' in iterable) return watchIterator(iterable as AsyncIterableIterator<unknown>, reader);
  return extend(iterable, {
    [Symbol.asyncIterator]: () => watchIterator(iterable[Symbol.asyncIterator](), reader),
  });
}

/** Not a generator with `finally`: the end of a generator that was never read runs none of its code. */
function watchIterator(iterator: AsyncIterator<unknown>, { onRead, onEnd }: StreamReader) {
  async function watch(
    step: () => Promise<IteratorResult<unknown>> | undefined,
  ): Promise<IteratorResult<unknown>> {
    onRead();
    try {
      const result = (await step()) ?? { done: true, value: undefined };
      if (result.done) onEnd();
      return result;
    } catch (error) {
      onEnd();
      throw error;
    }
  }
  const watched: AsyncIterableIterator<unknown> = extend(iterator, {
    next: (...args: [] | [unknown]) => watch(() => iterator.next(...args)),
    return: (value: unknown) => watch(() => iterator.return?.(value)),
    throw: (error: unknown) => watch(() => iterator.throw?.(error) ?? Promise.reject(error)),
    [Symbol.asyncIterator]: () => watched,
  });
  return watched;
}

/** Returns an object with other methods, and the rest of the original. The original may be that of several calls. */
function extend<Original extends object, Methods extends object>(original: Original, methods: Methods) {
  return Object.create(original, Object.getOwnPropertyDescriptors(methods)) as Original & Methods;
}

function watchObservable(source: Observable<unknown, unknown>, { onRead, onEnd }: StreamReader) {
  return observable((observer) => {
    onRead();
    const reading = source.subscribe({
      next: (value) => observer.next(value),
      error(error) {
        onEnd();
        observer.error(error);
      },
      complete() {
        onEnd();
        observer.complete();
      },
    });
    return function stopReading() {
      reading.unsubscribe();
      onEnd();
    };
  });
}
