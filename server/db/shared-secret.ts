import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Db } from './client';
import { sharedSecrets } from './schema';

/**
 * Returns a random value (256 bits, base64url) that all nodes share. The first call creates it, and it never changes.
 * Postgres holds it, because Redis may lose its data, and a new value would change all hashed keys.
 */
export async function sharedSecret(db: Db, name: string): Promise<string> {
  await db
    .insert(sharedSecrets)
    .values({ name, value: randomBytes(32).toString('base64url') })
    .onConflictDoNothing();
  const [secret] = await db.select().from(sharedSecrets).where(eq(sharedSecrets.name, name));
  if (!secret) throw new Error(`The shared secret "${name}" was deleted while it was read.`);
  return secret.value;
}
