import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { ioredisStore } from './ioredis-store';

const deleteKey = { command: 'testDeleteKey', file: 'limiter/delete-key.lua', numberOfKeys: 1 } as const;

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
  const replies = [store.run(deleteKey, [`${prefix}one`], []), store.run(deleteKey, [`${prefix}two`], [])];
  expect(isHeld()).toBe(true);
  replies.push(store.run(deleteKey, [prefix.padEnd(1_024, 'x')], []));
  expect(isHeld()).toBe(false);
  replies.push(store.run(deleteKey, [`${prefix}last`], []));
  expect(isHeld()).toBe(true);
  expect(await Promise.all(replies)).toEqual([0, 0, 0, 0]);
  expect(isHeld()).toBe(false);
});

test('a call on a closed connection rejects at once, and holds nothing', async () => {
  const closed = await connectTestRedis(await redisUrl());
  await closed.quit();
  const store = ioredisStore(closed);
  await expect(store.run(deleteKey, [freshPrefix()], [])).rejects.toThrow(/closed/i);
});
