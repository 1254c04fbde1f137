import { createDatabase } from '../server/db/client';
import { users } from '../server/db/schema';
import type { Sessions } from '../server/http/session';
import type { CheckSession } from '../server/trpc/context';

/** Inserts a row into Postgres for each admin whose session a test signs, as the product does at sign-in. */
export interface AdminRows {
  sessions: Sessions;
  checkSession: CheckSession;
  close(): Promise<void>;
}

export function createAdminRows({
  url,
  pglite,
  sessions,
  checkSession,
}: Pick<AdminRows, 'sessions' | 'checkSession'> & { url: string; pglite: boolean }): AdminRows {
  const { db, close } = createDatabase({ url, pglite });
  const inserts = new Map<string, Promise<unknown>>();

  return {
    sessions: {
      ...sessions,
      createCookieHeader(user, version) {
        if (user.role === 'admin' && !inserts.has(user.id)) {
          // If a test has stopped Postgres, the row is missing, and the admin gets 401.
          const inserted = db.insert(users).values(user).onConflictDoNothing();
          inserts.set(
            user.id,
            inserted.catch(() => undefined),
          );
        }
        return sessions.createCookieHeader(user, version);
      },
    },
    async checkSession(session) {
      await Promise.all(inserts.values());
      return checkSession(session);
    },
    close,
  };
}
