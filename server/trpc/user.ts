/** A user as in the session cookie and in `auth.me`. */
export interface User {
  id: string;
  name: string;
  email?: string | undefined;
  role: 'shopper' | 'admin';
}

/** A sign-in: the user, and the version of the user's sessions at that time. Signing out raises the version. */
export interface Session {
  user: User;
  version: number;
}

/** `unchecked`: Postgres did not answer, so the session may have been revoked. */
export type SessionState = 'current' | 'revoked' | 'unchecked';

/** Compares an admin's session with the version in Postgres. A shopper's session is `current` without a query. */
export type CheckSession = (session: Session) => Promise<SessionState>;
