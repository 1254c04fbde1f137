import { z } from 'zod';

/**
 * Characters that no name or search needs and that break what shows or stores them: controls (Postgres refuses NUL),
 * line and paragraph separators, halves of surrogate pairs, and those that turn the direction of the text around them.
 */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** One line of text that a person typed: trimmed, its composed characters in one form, no control characters. */
export function plainText({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .max(10 * max)
    .refine((text) => !unprintable.test(text), 'must not contain control characters')
    .transform((text) => text.normalize('NFC').trim())
    .pipe(z.string().min(min).max(max));
}

/** An id that names something, or nothing, which is for the procedure to answer with 404. */
export const idInput = z
  .string()
  .min(1)
  .max(64)
  .refine((text) => !unprintable.test(text), 'must not contain control characters');
