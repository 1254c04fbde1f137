import { and, eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/client';
import { users } from '../db/schema';
import { isUnavailable } from '../db/unavailable';
import { AppError } from '../errors';
import type { CheckSession, Session, User } from '../trpc/context';
import { withinBudget } from '../trpc/deadline';

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

export interface SessionVersions {
  check: CheckSession;
  /**
   * Revokes every session of the user, on all devices, if this one is current. Shoppers' sessions are not checked, so
   * for a shopper an unavailable Postgres is no error.
   */
  revoke(session: Session): Promise<void>;
}

/** An admin's request waits this long for the check. It is one read by primary key. */
const CHECK_BUDGET_MS = 500;

/** Number of cached sign-outs, so that a repeated one does not reach Postgres. About 100 bytes each. */
const MAX_REMEMBERED = 10_000;

/** Creates the session versions. Postgres holds them, so that a sign-out applies to every node. */
export function createSessionVersions({ db }: { db: Db }): SessionVersions {
  const revoked = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  return {
    async check({ user, version }) {
      if (user.role !== 'admin') return 'current';
      const row = db
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.id, user.id), eq(users.role, 'admin'), eq(users.sessionVersion, version)));
      try {
        return (await withinBudget(row, { budgetMs: CHECK_BUDGET_MS })).length > 0 ? 'current' : 'revoked';
      } catch (error) {
        if (isDown(error)) return 'unchecked';
        throw error;
      }
    },

    async revoke({ user, version }) {
      const key = `${user.id}:${version}`;
      if (revoked.has(key)) return;
      try {
        await db
          .update(users)
          .set({ sessionVersion: sql`${users.sessionVersion} + 1` })
          .where(and(eq(users.id, user.id), eq(users.sessionVersion, version)));
      } catch (error) {
        if (user.role === 'admin' || !isDown(error)) throw error;
        return;
      }
      revoked.set(key, true);
    },
  };
}

function isDown(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE');
}
