/** The store did not answer, or answered with an error. A third outcome, never a denial. */
export class StoreUnavailableError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailableError';
  }
}

/**
 * The answer of the store, or a `StoreUnavailableError` after `timeoutMs` or on any error of its own.
 *
 * A node under load may find timer and answer due in the same turn of its event loop, and timers come first in a turn.
 * So a due timer gives the sockets one more read before it calls the store silent.
 */
export function withinStoreTimeout<Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() =>
        reject(new StoreUnavailableError(`the store did not answer within ${timeoutMs} ms`)),
      );
    }, timeoutMs);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (cause: unknown) => {
        clearTimeout(timer);
        reject(new StoreUnavailableError('the store failed', { cause }));
      },
    );
  });
}
