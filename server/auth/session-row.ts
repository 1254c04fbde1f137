import { users } from '../db/schema';
import type { Session, User } from '../trpc/user';

/** The columns of a user's row that a session needs. */
export const sessionColumns = {
  id: users.id,
  name: users.name,
  role: users.role,
  version: users.sessionVersion,
};

export function sessionOf({ version, ...user }: User & { version: number }): Session {
  return { user, version };
}
