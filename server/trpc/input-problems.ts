import type { TRPCError } from '@trpc/server';

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
}

/** `field: problem; field: problem` of a rejected input, or `undefined` where the input was not the problem. */
export function inputProblems(error: TRPCError): string | undefined {
  if (error.code !== 'BAD_REQUEST' || !hasIssues(error.cause)) return undefined;
  return error.cause.issues.map(describeIssue).join('; ');
}

function describeIssue({ path, message }: Issue): string {
  const field = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return `${field || 'input'}: ${message}`;
}

function hasIssues(cause: unknown): cause is { issues: Issue[] } {
  return typeof cause === 'object' && cause !== null && 'issues' in cause && Array.isArray(cause.issues);
}
