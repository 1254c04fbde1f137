import { AppError } from '../errors';
import type { NamedLevel } from './level-of';

export interface CountedSubjectOptions {
  addressOf: (text: string) => string | undefined;
}

/** The name of a subject in keys, as `/ops` shows it as `ref`. */
const REF = /^[\w-]{22}$/;

/**
 * The subject that a level counts, of the text that an operator gave: an address by its network, an input field as its
 * schema reads it, anything else as it is. Throws BAD_REQUEST where the level counts nobody by that text.
 */
export async function countedSubject(
  { policy, declared: { level, by } }: NamedLevel,
  text: string | undefined,
  { addressOf }: CountedSubjectOptions,
): Promise<string> {
  const of = `"${policy.name}:${level}"`;
  if (level === 'global') {
    if (text !== undefined) throw wrongSubject(`${of} counts everybody together: give no subject.`);
    return '';
  }
  if (text === undefined) throw wrongSubject(`${of} counts each subject by itself: give the subject.`);
  if (REF.test(text)) return text;
  // "email-daily" counts by the field "email", as "email" does.
  const counted = level.replace(/-daily$/, '');
  if (counted === 'ip') {
    const address = addressOf(text);
    if (address === undefined) throw wrongSubject(`${of} counts addresses: ${JSON.stringify(text)} is none.`);
    return address;
  }
  if (typeof by !== 'object') return text;
  // A level that counts by the field that it is named after reads the field as the procedure does.
  const parsed = await by.input['~standard'].validate({ [counted]: text });
  return parsed.issues ? text : by.subject({ input: parsed.value, context: {} as never });
}

function wrongSubject(text: string): AppError {
  return new AppError('BAD_REQUEST', `subject: ${text}`, {
    problem: { field: 'subject', code: 'invalid', text },
  });
}
