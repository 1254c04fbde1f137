import type { Keys } from './key';
import type { Overrides } from './overrides';
import type { ResolvedPolicy } from './policy';
import { isPseudonym } from './pseudonym';
import { type RequestId, toRequestId } from './request-id';
import type { Store, StoreScript } from './store';
import { withinStoreTimeout } from './store-error';

/** Deletions in the store. They throw `StoreUnavailableError`. */
export interface Deletions {
  /**
   * Deletes one window in the store and the cached denials of this node. Other nodes trust theirs for up to 10 s. Bans,
   * violations and request ids stay. `subject` may be a pseudonym, and is `''` for the level `global`.
   */
  clear(policy: ResolvedPolicy, window: { level: string; subject: string }): Promise<void>;
  /**
   * Makes a request id unused again, for a call that was refused after a decision had charged the id. The policy must
   * have several levels.
   */
  releaseRequestId(policy: ResolvedPolicy, requestId: string | RequestId): Promise<void>;
}

const deleteScript: StoreScript = {
  command: 'floodgateDeleteKey',
  file: 'limiter/delete-key.lua',
  numberOfKeys: 1,
};

/** Creates the functions that delete keys. `timeoutMs` is the timeout of all script calls of a deletion together. */
export function createDeletions({
  keys,
  overrides,
  store,
  timeoutMs,
}: {
  keys: Keys;
  overrides: Overrides;
  store: Store;
  timeoutMs: number;
}): Deletions {
  /** Deletes each key with its own script call, because the keys may lie in different slots of a cluster. */
  async function deleteKeys(deleted: readonly string[]): Promise<void> {
    const deleting = Promise.all(deleted.map((key) => store.run(deleteScript, [key], [])));
    await withinStoreTimeout(deleting, timeoutMs);
  }

  return {
    async clear(policy, { level, subject }) {
      const index = policy.levels.findIndex((one) => one.level === level);
      if (index === -1) throw new RangeError(`Policy "${policy.name}" has no level "${level}".`);
      const subjects = policy.levels.map((_level, other) => (other === index ? subject : ''));
      const windows = new Set([keys.of(policy, subjects).level(index)]);
      // A subject in the form of a pseudonym may be either. Deleting a window that does not exist does no harm.
      if (isPseudonym(subject)) windows.add(keys.ofPseudonym(policy, subject).level(index));
      await deleteKeys([...windows]);
      overrides.renewVersions();
    },
    releaseRequestId: (policy, requestId) =>
      deleteKeys([keys.of(policy, []).request(toRequestId(requestId))]),
  };
}
