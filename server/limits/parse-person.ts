import { AppError } from '../errors';
import { isPseudonym, maskSubject } from '../limiter';
import { isAddressLevel, parseSubject } from './clear-window-on-all-nodes';
import type { NamedLevel } from './policy-registry';

export interface NamedSubjectOptions {
  /** Returns an address as the levels `ip` count it; `undefined` if the text is not an address. */
  normalizeAddress: (text: string) => string | undefined;
  /** Returns a CIDR range without the bits of its hosts; `undefined` if the text is not a range. */
  normalizeRange: (text: string) => string | undefined;
  /** Returns the id of the user with an e-mail address; `undefined` if there is none. */
  findUserId: (email: string) => Promise<string | undefined>;
  pseudonymOf: (subject: string) => string;
}

/** The subject of an override, as it is stored. */
export interface StoredSubject {
  /** The pseudonym, or a range of addresses. */
  ref: string;
  /** Masked, or the range. */
  subject: string;
}

/**
 * Parses the text that an operator gave into the subject of an override: an address or a CIDR range, the id or the e-mail
 * address of a user, an input field by its schema, or a pseudonym with its mask. Throws BAD_REQUEST for a text that is no
 * subject of the level, and NOT_FOUND for an unknown e-mail address.
 */
export async function parsePerson(
  named: NamedLevel,
  { subject: text, mask }: { subject: string; mask?: string | undefined },
  { normalizeAddress, normalizeRange, findUserId, pseudonymOf }: NamedSubjectOptions,
): Promise<StoredSubject> {
  const { level } = named.declared;
  if (isAddressLevel(level) && normalizeAddress(text) === undefined) {
    const range = normalizeRange(text);
    if (range !== undefined) return { ref: range, subject: range };
  }
  const id = level === 'user' && text.includes('@') ? await findUserId(text) : text;
  if (id === undefined) throw new AppError('NOT_FOUND', 'No user has this e-mail address.');
  const subject = await parseSubject(named, id, { normalizeAddress });
  if (isPseudonym(subject)) return { ref: subject, subject: mask ?? maskSubject(subject) };
  return { ref: pseudonymOf(subject), subject: maskSubject(subject) };
}
