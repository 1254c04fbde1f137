import { hmacSha256 } from '../crypto';

/** 132 bits in base64url, so that no two subjects share a pseudonym. */
const PSEUDONYM_CHARACTERS = 22;
const PSEUDONYM = new RegExp(`^[\\w-]{${PSEUDONYM_CHARACTERS}}$`);

/**
 * Returns the pseudonym of a personal subject: 132 bits of an HMAC-SHA256. The input is JSON, because UTF-8 would encode
 * different lone surrogates alike.
 */
export function pseudonymOf(subject: string, secret: string): string {
  return hmacSha256(secret, JSON.stringify(subject)).slice(0, PSEUDONYM_CHARACTERS);
}

/** Returns true if a text has the form of a pseudonym. */
export function isPseudonym(text: string): boolean {
  return PSEUDONYM.test(text);
}

/** Masks a personal subject: operators can recognise it, but cannot identify a person from it. */
export function maskSubject(subject: string): string {
  const characters = [...subject];
  if (characters.length < 8) return `${characters[0] ?? ''}…`;
  // A dot of an address would run into the ellipsis.
  const start = characters.slice(0, 3).join('').replace(/\.$/, '');
  const end = characters.slice(-2).join('').replace(/^\./, '');
  return `${start}…${end}`;
}

/** Stands for the pseudonym of the subject of the level `global`. */
export const GLOBAL_SUBJECT = 'all';
