import { StoreUnavailableError } from './store-error';

/**
 * Returns the reply of the store. Rejects with a `StoreUnavailableError` after `timeoutMs`, or if the store fails.
 *
 * On a node under load, the timer and the reply may be due in the same event-loop tick, in which timers run first. So the
 * sockets are read once more after the timer, before the call rejects.
 */
export function withinStoreTimeout<Reply>(reply: Promise<Reply>, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() =>
        reject(
          new StoreUnavailableError(`the store did not reply within ${timeoutMs} ms`, { kind: 'timeout' }),
        ),
      );
    }, timeoutMs);
    reply.then(
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
