import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../../server/router';
import type { RefusalData } from './types';

/** The reason why a call failed, as far as a visitor can act on it. */
export type Problem =
  | { kind: 'refused'; refusal: RefusalData; message: string }
  | { kind: 'signed-out' }
  | { kind: 'unavailable' }
  /** No response: the call may or may not have been executed. */
  | { kind: 'lost' }
  | { kind: 'missing' }
  | { kind: 'rejected'; message: string }
  | { kind: 'broken' };

/** Classifies anything that a call may throw. */
export function problemOf(error: unknown): Problem {
  if (!isCallError(error)) return { kind: 'broken' };
  const { data, message } = error;
  if (!data) return { kind: 'lost' };
  if (data.rateLimit) return { kind: 'refused', refusal: data.rateLimit, message };
  switch (data.code) {
    case 'UNAUTHORIZED':
      return { kind: 'signed-out' };
    case 'SERVICE_UNAVAILABLE':
      return { kind: 'unavailable' };
    case 'NOT_FOUND':
      return { kind: 'missing' };
    case 'BAD_REQUEST':
    case 'FORBIDDEN':
    case 'CONFLICT':
    case 'TOO_MANY_REQUESTS':
      return { kind: 'rejected', message };
    default:
      return { kind: 'broken' };
  }
}

/** tRPC's client throws only this class, and the server's error formatter defines its data. */
function isCallError(error: unknown): error is TRPCClientError<AppRouter> {
  return error instanceof TRPCClientError;
}
