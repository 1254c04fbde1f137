import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { users } from '../db/schema';
import type { Language } from '../trpc/language';
import type { Session, User } from '../trpc/user';
import { randomDemoName } from './demo-name';
import { sessionColumns, sessionOf } from './session-row';

export interface DemoIdentity {
  /** The same name is the same shopper. Absent: a new shopper with a friendly name. */
  name?: string | undefined;
  /** Takes this role from now on. Absent: the role the shopper had, at first `shopper`. */
  role?: User['role'] | undefined;
  /** Of a name that is made up. */
  language: Language;
}

/** Finds or makes a demo user: no password, so only for demo mode. */
export type SignInDemo = (identity: DemoIdentity) => Promise<Session>;

export function createSignInDemo({ db }: { db: Db }): SignInDemo {
  return async function signInDemo({ name, role, language }) {
    return name === undefined ? newShopper(db, { role, language }) : shopperNamed(db, { name, role });
  };
}

async function shopperNamed(
  db: Db,
  { name, role }: { name: string; role: User['role'] | undefined },
): Promise<Session> {
  const [user] = await db
    .insert(users)
    .values({ id: randomUUID(), name, role, isDemo: true })
    .onConflictDoUpdate({
      target: users.name,
      targetWhere: sql`${users.isDemo}`,
      // Names itself where nothing changes, because an update of nothing would return nothing.
      set: { role: role ?? sql`${users.role}` },
    })
    .returning(sessionColumns);
  if (!user) throw new Error(`Postgres returned no user for the name ${JSON.stringify(name)}.`);
  return sessionOf(user);
}

/** Draws again where the name is taken: it would sign the caller in as somebody else. */
async function newShopper(
  db: Db,
  { role, language }: { role: User['role'] | undefined; language: Language },
): Promise<Session> {
  for (;;) {
    const [user] = await db
      .insert(users)
      .values({ id: randomUUID(), name: randomDemoName(language), role, isDemo: true })
      .onConflictDoNothing()
      .returning(sessionColumns);
    if (user) return sessionOf(user);
  }
}
