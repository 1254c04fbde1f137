import { eq } from 'drizzle-orm';
import type { Db } from '../db/client';
import { users } from '../db/schema';
import { emailAddress } from '../email-address';

/** Returns the id of the user with an e-mail address, as typed; `undefined` if there is none. */
export async function findUserIdByEmail(db: Db, text: string): Promise<string | undefined> {
  const { data: email } = emailAddress.safeParse(text);
  if (email === undefined) return undefined;
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return user?.id;
}
