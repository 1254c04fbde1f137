import type { IncomingMessage, ServerResponse } from 'node:http';
import type { User } from '../trpc/context';

/**
 * Names a user. In a request: the user that the calling page shows; absent if the caller is no page of the product. In an
 * answer: the user of the request, so that a page notices that another tab has signed in or out.
 */
export const USER_HEADER = 'floodgate-user';

/** Formats a user for the header. */
export function formatUser(user: Pick<User, 'id'> | null): string {
  return user ? encodeURIComponent(user.id) : 'anonymous';
}

/** Names the user of a request in its answer. */
export function nameUser(res: ServerResponse, user: Pick<User, 'id'> | null): void {
  res.setHeader(USER_HEADER, formatUser(user));
}

/** Returns true if the calling page shows another user than the one of its request. */
export function showsOtherUser({ headers }: Pick<IncomingMessage, 'headers'>, user: User | null): boolean {
  const shown = headers[USER_HEADER];
  return shown !== undefined && shown !== formatUser(user);
}
