import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A stable name for something personal, which the name does not give away without the secret. */
export type Pseudonyms = (subject: string) => string;

/** Callers of a flood come again at once, and an HMAC is a tenth of what refusing one costs. */
const REMEMBERED = 10_000;
/** Of longer subjects none is remembered, so that what is stays below 10 MB. */
const LONGEST_REMEMBERED = 256;

/** 128 bits of an HMAC-SHA256. JSON keeps strings apart that UTF-8 would merge (lone surrogates). */
export function createPseudonyms(secret: string): Pseudonyms {
  const known = new LRUCache<string, string>({ max: REMEMBERED });

  return function pseudonymOf(subject) {
    const remembered = known.get(subject);
    if (remembered !== undefined) return remembered;
    const hmac = createHmac('sha256', secret).update(JSON.stringify(subject));
    const pseudonym = hmac.digest('base64url').slice(0, 22);
    if (subject.length <= LONGEST_REMEMBERED) known.set(subject, pseudonym);
    return pseudonym;
  };
}
