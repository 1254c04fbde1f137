import { runAfterReplies } from '../stores/event-loop';
import type { Store, StoreUser } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';

/** The use of a store by a limiter, until the limiter is closed. */
export interface Lifetime {
  /** The store of the limiter. It throws after the end. */
  store: Store;
  /** Executes commands that were made before the end. */
  decideBatch: Store['decide'];
  /** Throws a `StoreUnavailableError` of the kind `closed` if the limiter is closed. */
  ensureOpen(): void;
  /** Ends the use after the calls that were made before. `stop` ends what calls the store by itself. */
  end(stop: () => Promise<void>): Promise<void>;
}

/** Begins the use of a store by a limiter. */
export function createLifetime(given: Store, user: StoreUser): Lifetime {
  const used = given.forLimiter?.(user) ?? given;
  let isClosed = false;
  let isEnded = false;
  let ending: Promise<void> | undefined;

  function ensure(isTrue: boolean): void {
    if (!isTrue) throw new StoreUnavailableError('The limiter is closed.', { kind: 'closed' });
  }

  async function endUse(stop: () => Promise<void>): Promise<void> {
    await stop();
    isClosed = true;
    // The batches of former calls are sent.
    await new Promise<void>(runAfterReplies);
    isEnded = true;
    await used.close?.();
  }

  return {
    store: new Proxy(used, {
      get(target, name) {
        ensure(!isEnded);
        return Reflect.get(target, name);
      },
    }),
    decideBatch: (batch) => used.decide(batch),
    ensureOpen: () => ensure(!isClosed),
    end(stop) {
      ending ??= endUse(stop);
      return ending;
    },
  };
}
