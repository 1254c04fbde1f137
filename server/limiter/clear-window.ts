import { defineScript, type ScriptHost } from '../lua-scripts';
import type { Keys } from './key';
import type { ResolvedPolicy } from './policy';
import { withinStoreTimeout } from './store-timeout';

/** One window of a policy. */
export interface WindowOfLevel {
  /** The index of the level in its policy. */
  place: number;
  /** Whom the level counts, or the subject's name in keys; `''` for a level that counts everybody together. */
  subject: string;
}

export interface ClearWindowOptions {
  redis: ScriptHost;
  keys: Keys;
  timeoutMs: number;
}

/** A pseudonym: 128 bits in base64url. */
const NAME_IN_KEYS = /^[\w-]{22}$/;

/** Makes the function that deletes one window in the store. It throws `StoreUnavailableError`. */
export function createClearWindow({ redis, keys, timeoutMs }: ClearWindowOptions) {
  const runClear = defineScript(redis, {
    command: 'floodgateClearWindow',
    file: 'limiter/clear-window.lua',
    numberOfKeys: 1,
  });

  return async function clearWindow<Context>(
    policy: ResolvedPolicy<Context>,
    { place, subject }: WindowOfLevel,
  ): Promise<void> {
    const subjects = policy.levels.map((_level, index) => (index === place ? subject : ''));
    const windows = new Set([keys.of(policy, subjects).level(place)]);
    // A subject that looks like a name in keys may be either: the other of the two windows does not exist.
    if (NAME_IN_KEYS.test(subject)) windows.add(keys.ofNamed(policy, subject).level(place));
    const clearing = [...windows].map((key) => runClear([key], []));
    await withinStoreTimeout(Promise.all(clearing), timeoutMs);
  };
}
