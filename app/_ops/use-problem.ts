import { TRPCClientError } from '@trpc/client';
import { useMemo } from 'react';
import { type Problem, problemOf } from '../_trpc/problem';
import type { CallErrorData } from './types';

/** A problem with an input field. */
export type FieldProblem = NonNullable<CallErrorData['problems']>[number];

/** The problem of a form, with its field problems if the input was rejected. */
export type FormProblem = Problem & { ofFields?: FieldProblem[] | undefined };

/** Converts an error to a problem with a stable identity. */
export function useProblem(error: unknown): FormProblem | undefined {
  return useMemo(() => (error ? { ...problemOf(error), ofFields: ofFields(error) } : undefined), [error]);
}

function ofFields(error: unknown): FieldProblem[] | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  // The server's error formatter defines this shape.
  const data: CallErrorData | undefined = error.data;
  return data?.problems;
}
