import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { stores } from '../../../test/stores';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';

const policy = resolvePolicy(
  {
    name: 'sale',
    levels: [
      { level: 'user', limit: 5, windowMs: 60_000 },
      { level: 'global', limit: 100, windowMs: 1_000 },
    ],
    message: { en: 'Too many.' },
  },
  'sale',
);

describe.each(stores)('on $store', ({ storeUrl }) => {
  test('one caller whose key has the wrong type, among 60 when a window opens: the other 59 are admitted', async () => {
    const redis = await connectTestRedis(await storeUrl());
    onTestFinished(() => redis.disconnect());
    const prefix = freshPrefix();
    const clock = { now: 1_795_226_300_000 };
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix,
      clock: () => clock.now,
      timeoutMs: 2_000,
    });
    const call = (user: string) => limiter.decide(policy, { subjects: { user } });
    // The caller's own key is the only one of this level so far.
    await call('broken');
    const [key] = await redis.keys(`${prefix}{sale}:user:*`);
    await redis.del(String(key));
    await redis.lpush(String(key), 'a list');
    await Promise.all(Array.from({ length: 99 }, (_one, index) => call(`early ${index}`)));
    expect(await call('late')).toMatchObject({ allowed: false, refusedBy: { level: 'global' } });

    clock.now += 1_000;
    const crowd = ['broken', ...Array.from({ length: 59 }, (_one, index) => `shopper ${index}`)];
    const outcomes = await Promise.allSettled(crowd.map(call));
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { kind: 'WRONGTYPE' } });
    for (const outcome of outcomes.slice(1)) {
      expect(outcome).toMatchObject({ status: 'fulfilled', value: { allowed: true } });
    }
  });
});
