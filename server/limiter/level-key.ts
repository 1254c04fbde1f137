import { LRUCache } from 'lru-cache';
import type { ResolvedLevel } from './policy';
import { pseudonymOf } from './pseudonym';

/** A subject of one level, as the store's keys have it. */
export interface LevelKey {
  /** What stands for the subject: its pseudonym, or `EVERYBODY`. */
  name: string;
  /** The state of the level for the subject. */
  key: string;
}

/** Stands for the subject of a level that counts everybody together. */
export const GLOBAL_SUBJECT = 'all';

/** Callers of a flood come again at once, and to name one costs several times what refusing it does. */
const MAX_CACHED_KEYS = 10_000;
/** Of longer subjects none is remembered, so that what is takes no more than 5 MB a level. */
const MAX_CACHED_LENGTH = 100;

/** Finds what a level has in keys for a subject. */
export type LevelKeyOf = (subject: string) => LevelKey;

/** The keys of a level, of which those that were asked for last are remembered; `keyOf` makes the key of a name. */
export function createLevelKeyOf<Context>(
  { level }: ResolvedLevel<Context>,
  { secret, keyOf }: { secret: string; keyOf: (name: string) => string },
): LevelKeyOf {
  if (level === 'global') {
    const everybody = { name: GLOBAL_SUBJECT, key: keyOf(GLOBAL_SUBJECT) };
    return () => everybody;
  }
  const known = new LRUCache<string, LevelKey>({ max: MAX_CACHED_KEYS });

  return function levelKeyOf(subject) {
    const remembered = known.get(subject);
    if (remembered) return remembered;
    const name = pseudonymOf(subject, secret);
    const made = { name, key: keyOf(name) };
    if (subject.length <= MAX_CACHED_LENGTH) known.set(subject, made);
    return made;
  };
}
