import { users } from '../db/schema';
import type { Session, User } from '../trpc/context';

/** The columns of `users` that a session needs. */
export const sessionColumns = {
  id: users.id,
  name: users.name,
  role: users.role,
  version: users.sessionVersion,
};

/** Converts a row of `sessionColumns`. An admin's session is valid only while its version is current. */
export function toSession({ version, ...user }: User & { version: number }): Session {
  return { user, version };
}
