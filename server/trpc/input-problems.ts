import type { TRPCError } from '@trpc/server';
import { AppError, type FieldProblem } from '../errors';

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
