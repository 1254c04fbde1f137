import { z } from 'zod';

/** Turns the last row's sort key into the opaque text of `nextCursor`. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * The schema of a `cursor` input whose sort key has these parts; anything else is a 400 that names the field. Absent, or
 * null as tRPC's clients say it, is the first page: `undefined`.
 */
export function cursorInput<Key extends z.ZodType>(key: Key) {
  return z
    .string()
    .max(512)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(Buffer.from(text, 'base64url').toString());
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        context.addIssue({ code: 'custom', message: 'is not a cursor that this server gave' });
        return z.NEVER;
      }
    })
    .pipe(key)
    .nullish()
    .transform((cursor) => cursor ?? undefined);
}
