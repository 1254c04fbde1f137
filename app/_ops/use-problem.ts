import { TRPCClientError } from '@trpc/client';
import { useMemo } from 'react';
import { type Problem, problemOf } from '../_trpc/problem';
import type { CallErrorData } from './types';

/** What is wrong with a field of an input. */
export type FieldProblem = NonNullable<CallErrorData['problems']>[number];

/** Why what a form sent brought nothing, and what of it was wrong, where that was the reason. */
export type FormProblem = Problem & { ofFields?: FieldProblem[] | undefined };

/** The problem behind an error, the same one for as long as the error is. */
export function useProblem(error: unknown): FormProblem | undefined {
  return useMemo(() => (error ? { ...problemOf(error), ofFields: ofFields(error) } : undefined), [error]);
}

function ofFields(error: unknown): FieldProblem[] | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  // The server's error formatter gives it this shape.
  const data: CallErrorData | undefined = error.data;
  return data?.problems;
}
