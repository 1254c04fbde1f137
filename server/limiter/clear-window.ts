import type { DeleteKeys } from './delete-keys';
import type { Keys } from './key';
import type { ResolvedPolicy } from './policy';

/** One window of a policy. */
export interface LevelWindow {
  /** The index of the level in its policy. */
  index: number;
  /** Whom the level counts, or the subject's name in keys; `''` for a level that counts everybody together. */
  subject: string;
}

export interface ClearWindowOptions {
  keys: Keys;
  deleteKeys: DeleteKeys;
}

/** A pseudonym: 128 bits in base64url. */
const PSEUDONYM = /^[\w-]{22}$/;

/** Makes the function that deletes one window in the store. It throws `StoreUnavailableError`. */
export function createClearWindow({ keys, deleteKeys }: ClearWindowOptions) {
  return async function clearWindow<Context>(
    policy: ResolvedPolicy<Context>,
    { index: place, subject }: LevelWindow,
  ): Promise<void> {
    const subjects = policy.levels.map((_level, index) => (index === place ? subject : ''));
    const windows = new Set([keys.of(policy, subjects).level(place)]);
    // A subject that looks like a name in keys may be either: the other of the two windows does not exist.
    if (PSEUDONYM.test(subject)) windows.add(keys.ofNamed(policy, subject).level(place));
    await deleteKeys([...windows]);
  };
}
