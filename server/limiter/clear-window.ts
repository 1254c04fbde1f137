import type { Keys } from './key';
import type { ResolvedPolicy } from './policy';
import { isPseudonym } from './pseudonym';
import type { Store, StoreScript } from './store';
import { withinStoreTimeout } from './store-error';

/** One window of a policy. */
export interface LevelWindow {
  /** The name of the level. */
  level: string;
  /** The subject of the window, or its pseudonym; `''` for the level `global`. */
  subject: string;
}

/** Creates the function that deletes one window in the store. It throws `StoreUnavailableError`. */
export function createClearWindow({ keys, deleteKeys }: { keys: Keys; deleteKeys: DeleteKeys }) {
  return async function clearWindow(policy: ResolvedPolicy, { level, subject }: LevelWindow): Promise<void> {
    const index = policy.levels.findIndex((one) => one.level === level);
    if (index === -1) throw new RangeError(`Policy "${policy.name}" has no level "${level}".`);
    const subjects = policy.levels.map((_level, other) => (other === index ? subject : ''));
    const windows = new Set([keys.of(policy, subjects).level(index)]);
    // A subject in the form of a pseudonym may be either. Deleting a window that does not exist does no harm.
    if (isPseudonym(subject)) windows.add(keys.ofPseudonym(policy, subject).level(index));
    await deleteKeys([...windows]);
  };
}

/** Deletes keys of the limiter, which may be on several nodes of a cluster. Throws `StoreUnavailableError`. */
type DeleteKeys = (keys: readonly string[]) => Promise<void>;

const deleteScript: StoreScript = {
  command: 'floodgateDeleteKey',
  file: 'limiter/delete-key.lua',
  numberOfKeys: 1,
};

/**
 * Deletes each key with its own script call, because the keys may lie in different slots. `timeoutMs` is the timeout of
 * all calls together.
 */
export function createDeleteKeys({ store, timeoutMs }: { store: Store; timeoutMs: number }): DeleteKeys {
  return async function deleteKeys(keys) {
    await withinStoreTimeout(Promise.all(keys.map((key) => store.run(deleteScript, [key], []))), timeoutMs);
  };
}
