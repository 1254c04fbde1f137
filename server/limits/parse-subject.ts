import { AppError } from '../errors';
import { isMissing, isPseudonym, maskSubject } from '../limiter/index';
import type { Context } from '../trpc/context';
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
  const { counts } = named.declared;
  if (counts === 'ip' && normalizeAddress(text) === undefined) {
    const range = normalizeRange(text);
    if (range !== undefined) return { ref: range, subject: range };
  }
  const id = counts === 'user' && text.includes('@') ? await findUserId(text) : text;
  if (id === undefined) throw new AppError('NOT_FOUND', 'No user has this e-mail address.');
  const subject = await parseSubject(named, id, { normalizeAddress });
  const ref = isPseudonym(subject) ? subject : pseudonymOf(subject);
  return { ref, subject: maskOf(subject, mask) };
}

/** Returns the masked subject. `mask` is that of a pseudonym. */
export function maskOf(subject: string, mask: string | undefined): string {
  return isPseudonym(subject) && mask !== undefined ? mask : maskSubject(subject);
}

/**
 * Parses the text that an operator gave into the subject that a level counts: an address into its network, an input
 * field by its schema, any other text unchanged. Throws BAD_REQUEST for a text that is no subject of the level.
 */
export async function parseSubject(
  { policy, declared: { level, by, counts } }: NamedLevel,
  text: string | undefined,
  { normalizeAddress }: { normalizeAddress: (text: string) => string | undefined },
): Promise<string> {
  const name = `"${policy.name}:${level}"`;
  if (level === 'global') {
    if (text !== undefined) throw wrongSubject(`${name} has one window for all callers: give no subject.`);
    return '';
  }
  if (text === undefined) throw wrongSubject(`${name} has a window per subject: give the subject.`);
  if (isPseudonym(text)) return text;
  if (counts === 'ip') {
    const address = normalizeAddress(text);
    if (address === undefined)
      throw wrongSubject(`${name} counts addresses: ${JSON.stringify(text)} is not an address.`);
    return address;
  }
  if (typeof by !== 'object') return text;
  // Parses the field as the procedure does.
  const parsed = await by.input['~standard'].validate({ [counts]: text });
  const context = { browser: stranger } as never;
  const subject = parsed.issues ? undefined : await by.subject({ input: parsed.value, context });
  return isMissing(subject) ? text : String(subject);
}

/** An operator names the window that all browsers without proof share. */
const stranger = {
  requestedCode: () => null,
  signedInTo: () => null,
} satisfies Partial<Context['browser']>;

function wrongSubject(text: string): AppError {
  return new AppError('BAD_REQUEST', `subject: ${text}`, {
    problem: { field: 'subject', code: 'invalid', text },
  });
}
