import { randomUUID } from 'node:crypto';
import { connectRedis, type RedisClient } from '../server/redis/client';

/**
 * A client as the product makes it, that does not mind when a test takes its Redis away. `url` is as in `REDIS_URL`:
 * several, comma-separated, are a cluster.
 */
export function connectTestRedis(url: string): Promise<RedisClient> {
  return connectRedis(url.split(','), () => undefined);
}

/** Begins the keys of one test, so that tests share a Redis and nothing else. */
export function freshPrefix(): string {
  return `test:${randomUUID()}:`;
}
