import { randomUUID } from 'node:crypto';
import { connectRedis, type RedisClient } from '../server/redis/client';

/**
 * Connects a client like the product, and ignores connection errors, because tests stop Redis. `url` has the format of
 * `REDIS_URL`: several addresses, comma-separated, are a cluster; `redis+sentinel:` is the URL of Sentinels.
 */
export function connectTestRedis(url: string): Promise<RedisClient> {
  return connectRedis(url.startsWith('redis+sentinel:') ? [url] : url.split(','), () => undefined);
}

/** Flushes scripts and functions. A replica gets its functions from its master. */
export async function flushScripts(client: RedisClient): Promise<void> {
  await client.script('FLUSH');
  if (/^role:master/m.test(await client.info('replication'))) await client.function('FLUSH');
}

/** Returns a unique key prefix, so that tests can share a Redis. */
export function freshPrefix(): string {
  return `test:${randomUUID()}:`;
}
