import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../../server/router';
import type { RefusalData } from './types';

/** The reason why a call failed, as far as a visitor can act on it. */
export type Problem =
  /** By a limit. */
  | { kind: 'refused'; refusal: RefusalData; message: string }
  /** The call needs a signed-in user. */
  | { kind: 'signed-out' }
  /** The server cannot execute the call now, for example because a store is down. */
  | { kind: 'unavailable' }
  /** No response: the call may or may not have been executed. */
  | { kind: 'lost' }
  | { kind: 'missing' }
  /** Invalid input or a conflict. A form sets the message, in the page's language. */
  | { kind: 'rejected'; message?: string }
  /** Any other error: a bug of the page or the server. */
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
      return { kind: 'rejected' };
    default:
      return { kind: 'broken' };
  }
}

/** Returns true for an error of tRPC's client, whose data the server's error formatter defines. */
export function isCallError(error: unknown): error is TRPCClientError<AppRouter> {
  return error instanceof TRPCClientError;
}

/** Returns true for a call that named another user than the signed-in one. */
export function isOfOtherUser(error: unknown): boolean {
  return isCallError(error) && error.data?.otherUser === true;
}

/** Sends a call, and once more if its reply was lost. Only for calls that a second execution does not change. */
export async function resendIfLost<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  try {
    return await send();
  } catch (error) {
    if (problemOf(error).kind !== 'lost') throw error;
    return await send();
  }
}
