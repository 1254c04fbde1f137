import { z } from 'zod';

/**
 * Characters that no name or search needs and that break displays or storage: control characters (Postgres refuses NUL),
 * line and paragraph separators, lone surrogates, and bidirectional controls.
 */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** Creates the schema of one line of typed text: trimmed, in Unicode NFC, without control characters. */
export function plainText({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .max(10 * max)
    .refine((text) => !unprintable.test(text), 'must not contain control characters')
    .transform((text) => text.normalize('NFC').trim())
    .pipe(z.string().min(min).max(max));
}

/** The schema of an id. The procedure answers 404 if nothing has this id. */
export const idInput = z
  .string()
  .min(1)
  .max(64)
  .refine((text) => !unprintable.test(text), 'must not contain control characters');
