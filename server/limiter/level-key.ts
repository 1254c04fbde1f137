import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ResolvedLevel } from './policy';

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
export function createLevelKeyOf<Context>(
  { level }: ResolvedLevel<Context>,
  { secret, keyOf }: { secret: string; keyOf: (pseudonym: string) => string },
): LevelKeyOf {
  if (level === 'global') {
    const global = { pseudonym: GLOBAL_SUBJECT, key: keyOf(GLOBAL_SUBJECT) };
    return () => global;
  }
  const cache = new LRUCache<string, LevelKey>({ max: MAX_CACHED_KEYS });

  return function levelKeyOf(subject) {
    const cached = cache.get(subject);
    if (cached) return cached;
    const pseudonym = pseudonymOf(subject, secret);
    const levelKey = { pseudonym, key: keyOf(pseudonym) };
    if (subject.length <= MAX_CACHED_LENGTH) cache.set(subject, levelKey);
    return levelKey;
  };
}

/** 132 bits in base64url: two subjects never share a pseudonym. */
const PSEUDONYM_CHARACTERS = 22;
const PSEUDONYM = new RegExp(`^[\\w-]{${PSEUDONYM_CHARACTERS}}$`);

/** Returns true if a text has the form of a pseudonym. */
export function isPseudonym(text: string): boolean {
  return PSEUDONYM.test(text);
}

/**
 * Returns the pseudonym of a personal subject: 132 bits of an HMAC-SHA256. The input is JSON, because UTF-8 would encode
 * different lone surrogates alike.
 */
export function pseudonymOf(subject: string, secret: string): string {
  const hmac = createHmac('sha256', secret).update(JSON.stringify(subject));
  return hmac.digest('base64url').slice(0, PSEUDONYM_CHARACTERS);
}

/** Masks a personal subject: operators can recognise it, but cannot identify a person from it. */
export function maskSubject(subject: string): string {
  const characters = [...subject];
  if (characters.length < 8) return `${characters[0] ?? ''}…`;
  return `${characters.slice(0, 3).join('')}…${characters.slice(-2).join('')}`;
}
