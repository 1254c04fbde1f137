import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { RedisClient } from '../server/redis/client';
import { connectTestRedis } from './redis';

/** Connects as a new user with all permissions, restricted by these ACL rules. The user is deleted with the test. */
export async function connectAsUser(
  admin: RedisClient,
  url: string,
  ...rules: string[]
): Promise<RedisClient> {
  const user = `test-${randomUUID()}`;
  await admin.acl('SETUSER', user, 'on', '>pass', '~*', '+@all', ...rules);
  const own = new URL(url);
  own.username = user;
  own.password = 'pass';
  const client = await connectTestRedis(own.href);
  onTestFinished(async () => {
    client.disconnect();
    await admin.acl('DELUSER', user);
  });
  return client;
}
