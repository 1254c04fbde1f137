import { createDatabase } from '../server/db/client';
import { users } from '../server/db/schema';
import type { Sessions } from '../server/http/session';
import type { CheckSession } from '../server/trpc/user';

/** Makes `sessions.sign` of a test sign admins in as the product does: their row is in Postgres. */
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
      sign(user, version) {
        if (user.role === 'admin' && !inserts.has(user.id)) {
          // Where a test has stopped Postgres, the row is missing, and the admin is answered with 401.
          const inserted = db.insert(users).values(user).onConflictDoNothing();
          inserts.set(
            user.id,
            inserted.catch(() => undefined),
          );
        }
        return sessions.sign(user, version);
      },
    },
    async checkSession(session) {
      await Promise.all(inserts.values());
      return checkSession(session);
    },
    close,
  };
}
