import { AppError } from '../errors';
import type { NamedLevel } from './find-level';

export interface CountedSubjectOptions {
  normalizeAddress: (text: string) => string | undefined;
}

/** The name of a subject in keys, which `/ops` shows as `ref`. */
const REF = /^[\w-]{22}$/;

/**
 * Parses the text that an operator gave into the subject that a level counts: an address into its network, an input
 * field by its schema, any other text unchanged. Throws BAD_REQUEST for a text that is no subject of the level.
 */
export async function parseSubject(
  { policy, declared: { level, by } }: NamedLevel,
  text: string | undefined,
  { normalizeAddress }: CountedSubjectOptions,
): Promise<string> {
  const name = `"${policy.name}:${level}"`;
  if (level === 'global') {
    if (text !== undefined) throw wrongSubject(`${name} has one window for all callers: give no subject.`);
    return '';
  }
  if (text === undefined) throw wrongSubject(`${name} has a window per subject: give the subject.`);
  if (REF.test(text)) return text;
  // Both "email" and "email-daily" count by the field "email".
  const field = level.replace(/-daily$/, '');
  if (field === 'ip') {
    const address = normalizeAddress(text);
    if (address === undefined)
      throw wrongSubject(`${name} counts addresses: ${JSON.stringify(text)} is not an address.`);
    return address;
  }
  if (typeof by !== 'object') return text;
  // A level named after an input field counts by it: parse the field as the procedure does.
  const parsed = await by.input['~standard'].validate({ [field]: text });
  return parsed.issues ? text : by.subject({ input: parsed.value, context: {} as never });
}

function wrongSubject(text: string): AppError {
  return new AppError('BAD_REQUEST', `subject: ${text}`, {
    problem: { field: 'subject', code: 'invalid', text },
  });
}
