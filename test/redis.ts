import { randomUUID } from 'node:crypto';
import { connectRedis, type RedisClient } from '../server/redis/client';

/**
 * A client as the product makes it, that does not mind when a test takes its Redis away. `url` is as in `REDIS_URL`:
 * several, comma-separated, are a cluster.
 */
export function connectTestRedis(url: string): Promise<RedisClient> {
  return connectRedis(url.split(','), () => undefined);
}

/** Makes a Redis forget what it was told to run. A replica's functions are its master's. */
export async function flushScripts(client: RedisClient): Promise<void> {
  await client.script('FLUSH');
  if (/^role:master/m.test(await client.info('replication'))) await client.function('FLUSH');
}

/** Begins the keys of one test, so that tests share a Redis and nothing else. */
export function freshPrefix(): string {
  return `test:${randomUUID()}:`;
}
