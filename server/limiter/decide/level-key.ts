import { lru } from 'tiny-lru';
import type { ResolvedLevel } from '../policy/policy';
import { pseudonymOf } from './pseudonym';

/** A subject of one level in the keys of the store. */
export interface LevelKey {
  /** The pseudonym of the subject, or `GLOBAL_SUBJECT`. */
  pseudonym: string;
  /** The key of the level's state for the subject. */
  key: string;
}

/** Stands for the pseudonym of the subject of the level `global`. */
export const GLOBAL_SUBJECT = 'all';

/** A cache, because the same callers call again during a flood, and a pseudonym costs several times a refusal. */
const MAX_CACHED_KEYS = 10_000;
/** Longer subjects are not cached, so that the cache takes at most 5 MB per level. */
const MAX_CACHED_LENGTH = 100;

/** Returns the pseudonym and the key of a subject at one level. */
export type LevelKeyOf = (subject: string) => LevelKey;

/** Creates the key function of a level, with an LRU cache. `keyOf` returns the key of a pseudonym. */
export function createLevelKeyOf(
  { level }: ResolvedLevel,
  { secret, keyOf }: { secret: string; keyOf: (pseudonym: string) => string },
): LevelKeyOf {
  if (level === 'global') {
    const global = { pseudonym: GLOBAL_SUBJECT, key: keyOf(GLOBAL_SUBJECT) };
    return () => global;
  }
  const cache = lru<LevelKey>(MAX_CACHED_KEYS);

  return function levelKeyOf(subject) {
    const cached = cache.get(subject);
    if (cached) return cached;
    const pseudonym = pseudonymOf(subject, secret);
    const levelKey = { pseudonym, key: keyOf(pseudonym) };
    if (subject.length <= MAX_CACHED_LENGTH) cache.set(subject, levelKey);
    return levelKey;
  };
}
