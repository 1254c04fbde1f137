import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { stores } from '../../test/stores';
import { createLimiter } from './limiter';
import { type Algorithm, type Level, resolvePolicy } from './policy';
import { pseudonymOf } from './pseudonym';

const HOUR = 3_600_000;

describe.each(stores)('on $store', ({ storeUrl }) => {
  async function setUp(levels: Level<unknown>[]) {
    const redis = await connectTestRedis(await storeUrl());
    onTestFinished(() => redis.disconnect());
    const prefix = freshPrefix();
    const node = () => createLimiter({ redis, secret: 'test', prefix, timeoutMs: 2_000 });
    const policy = resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
    return { redis, prefix, limiter: node(), policy };
  }

  test.each<Algorithm>(['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket', 'leaky-bucket'])(
    '%s: a window that is cleared is empty, on this node at once',
    async (algorithm) => {
      const { limiter, policy } = await setUp([{ level: 'user', algorithm, limit: 2, windowMs: HOUR }]);
      const call = async (user: string) => (await limiter.decide(policy, { subjects: [user] })).allowed;
      for (const user of ['ada', 'bob']) {
        expect([await call(user), await call(user), await call(user)]).toEqual([true, true, false]);
      }
      await limiter.clear(policy, { index: 0, subject: 'ada' });
      const { windows } = await limiter.peek(policy, { subjects: ['ada'] });
      expect(windows[0]).toMatchObject({ used: 0, remaining: 2 });
      expect([await call('ada'), await call('ada'), await call('ada')]).toEqual([true, true, false]);
      expect(await call('bob')).toBe(false);
    },
  );

  test('one of several levels is cleared, also by its name in keys, and the others keep their hits', async () => {
    const { limiter, policy } = await setUp([
      { level: 'user', limit: 1, windowMs: HOUR },
      { level: 'global', limit: 9, windowMs: HOUR },
    ]);
    const call = () => limiter.decide(policy, { subjects: ['ada', ''] });
    await call();
    await limiter.clear(policy, { index: 0, subject: pseudonymOf('ada', 'test') });
    expect(await call()).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 2 }] });
    await limiter.clear(policy, { index: 1, subject: '' });
    await limiter.clear(policy, { index: 0, subject: 'ada' });
    expect(await call()).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 1 }] });
  });

  test('a key with an invalid state is cleared', async () => {
    const { redis, prefix, limiter, policy } = await setUp([{ level: 'global', limit: 1, windowMs: HOUR }]);
    const call = () => limiter.decide(policy, { subjects: [''] });
    await call();
    const [key] = await redis.keys(`${prefix}*`);
    await redis.del(String(key));
    await redis.lpush(String(key), 'a list');
    await limiter.clear(policy, { index: 0, subject: '' });
    expect((await call()).allowed).toBe(true);
  });

  test('a request id stays charged', async () => {
    const { limiter, policy } = await setUp([{ level: 'user', limit: 1, windowMs: HOUR }]);
    const call = () => limiter.decide(policy, { subjects: ['ada'], requestId: 'first' });
    await call();
    await limiter.clear(policy, { index: 0, subject: 'ada' });
    expect(await call()).toMatchObject({ allowed: true, replayed: true, levels: [{ used: 0 }] });
  });
});
