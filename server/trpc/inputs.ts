import type { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { AppError, type FieldProblem } from '../errors';
import { parseJson } from './parse-json';

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

/** The schema of a `requestId`. It lower-cases, because a UUID in capitals is the same UUID. */
export const requestIdInput = z.uuid().toLowerCase();

/**
 * The input of `coupon.seckill` and `coupon.claim`. Their policies parse it, too: a call with an invalid input buys
 * nothing, so it must not charge the levels that count purchases.
 */
export const purchaseInput = z.object({ couponId: idInput, requestId: requestIdInput.optional() });

/** The input of `coupon.seckill`. With `queue`, a call that finds the window full waits, under its `requestId`. */
export const seckillInput = purchaseInput.extend({ queue: z.boolean().optional() });

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
      const parsed = parseJson(Buffer.from(text, 'base64url').toString());
      if (parsed === undefined)
        context.addIssue({ code: 'custom', message: 'is not a cursor of this server' });
      return parsed;
    })
    .pipe(key)
    .nullish()
    .transform((cursor) => cursor ?? undefined);
}

/** The sort key of a list of rows: newest first. */
export type RowCursor = [createdAt: number, id: string];

/** The schema of a `cursor` input with the sort key of a row. The largest instant of JavaScript is 8.64e15. */
export const rowCursorInput = cursorInput(z.tuple([z.int().min(0).max(8.64e15), idInput]));

/** An issue of a schema. */
interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
  code?: string;
  /** The type of the value that is too big or too small. */
  origin?: string;
  minimum?: number;
  maximum?: number;
}

/** A body of 15 kB can have 5,000 wrong fields. Their description would be 50 times as long. */
const MAX_PROBLEMS = 20;

/** Returns the problems of the first 20 wrong fields of an input; `undefined` for any other error. */
export function listInputProblems({ code, cause }: TRPCError): FieldProblem[] | undefined {
  if (code !== 'BAD_REQUEST') return undefined;
  if (cause instanceof AppError) return cause.problem && [cause.problem];
  return hasIssues(cause) ? cause.issues.slice(0, MAX_PROBLEMS).map(describeIssue) : undefined;
}

/** Formats schema problems as `field: problem; field: problem`; `undefined` for any other error. */
export function formatSchemaMessage(
  { cause }: TRPCError,
  problems: readonly FieldProblem[],
): string | undefined {
  if (!hasIssues(cause)) return undefined;
  return problems.map(({ field, text }) => `${field || 'input'}: ${text}`).join('; ');
}

function describeIssue({ path, message, minimum, maximum, ...issue }: Issue): FieldProblem {
  const field = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { field, code: toProblemCode(issue), least: minimum, most: maximum, text: message };
}

function toProblemCode({ code, origin }: Pick<Issue, 'code' | 'origin'>): FieldProblem['code'] {
  if (code === 'too_big' && origin === 'string') return 'too-long';
  if (origin !== 'number' && origin !== 'int') return 'invalid';
  if (code === 'too_big') return 'too-big';
  return code === 'too_small' ? 'too-small' : 'invalid';
}

function hasIssues(cause: unknown): cause is { issues: Issue[] } {
  return typeof cause === 'object' && cause !== null && 'issues' in cause && Array.isArray(cause.issues);
}
