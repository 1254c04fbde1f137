import { z } from 'zod';

/** Encodes the sort key of the last row as the opaque text of `nextCursor`. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Creates the schema of a `cursor` input with this sort key. Any other text is answered with 400 and the field's name. An
 * absent cursor, or null as tRPC's clients send it, means the first page: `undefined`.
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
        context.addIssue({ code: 'custom', message: 'is not a cursor of this server' });
        return z.NEVER;
      }
    })
    .pipe(key)
    .nullish()
    .transform((cursor) => cursor ?? undefined);
}
