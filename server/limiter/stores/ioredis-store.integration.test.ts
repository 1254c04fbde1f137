import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { ioredisStore } from './ioredis-store';

let redis: Redis;
beforeAll(async () => {
  redis = new Redis(await redisUrl());
  await redis.ping();
});
afterAll(() => redis.quit());

test('the script calls of one tick share a write, which a large one ends', async () => {
  const store = ioredisStore(redis);
  const prefix = freshPrefix();
  const isHeld = () => redis.stream.writableCorked > 0;
  const replies = [store.deleteKey(`${prefix}one`), store.deleteKey(`${prefix}two`)];
  expect(isHeld()).toBe(true);
  replies.push(store.deleteKey(prefix.padEnd(1_024, 'x')));
  expect(isHeld()).toBe(false);
  replies.push(store.deleteKey(`${prefix}last`));
  expect(isHeld()).toBe(true);
  await Promise.all(replies);
  expect(isHeld()).toBe(false);
});

test('a call on a closed connection rejects at once, and holds nothing', async () => {
  const closed = await connectTestRedis(await redisUrl());
  await closed.quit();
  const store = ioredisStore(closed);
  await expect(store.deleteKey(freshPrefix())).rejects.toThrow(/closed/i);
});
