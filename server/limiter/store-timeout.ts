import { StoreUnavailableError } from './store-error';

/**
 * The answer of the store, or a `StoreUnavailableError` after `timeoutMs` or on any error of its own.
 *
 * A node under load may find timer and answer due in the same tick of its event loop, and timers come first in a tick.
 * So a due timer gives the sockets one more read before it calls the store silent.
 */
export function withinStoreTimeout<Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() =>
        reject(
          new StoreUnavailableError(`the store did not answer within ${timeoutMs} ms`, { kind: 'timeout' }),
        ),
      );
    }, timeoutMs);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (cause: unknown) => {
        clearTimeout(timer);
        reject(
          cause instanceof StoreUnavailableError
            ? cause
            : new StoreUnavailableError('the store failed', { cause }),
        );
      },
    );
  });
}
