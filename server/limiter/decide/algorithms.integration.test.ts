import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLimiterStore, createTestLevel, TODAY } from '../../../test/limiter-level';
import { decideStores } from '../../../test/limiter-stores';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { decideOne, testArgs, testLevel } from '../../../test/store-commands';
import type { RedisClient } from '../../redis/client';
import type { Algorithm } from '../policy/policy';
import { ALGORITHMS } from '../policy/policy';
import type { Store } from '../stores/store';

describe.each(decideStores)('on $store by $define.name', ({ store: name, define, storeUrl }) => {
  let redis: RedisClient;
  let store: Store;
  beforeAll(async () => {
    redis = await connectTestRedis(await storeUrl());
    store = createLimiterStore(redis, define);
  });
  afterAll(() => redis.quit());
  const levelOf = (algorithm: Algorithm, key?: string) => createTestLevel(store, algorithm, key);

  describe.each(ALGORITHMS)('%s', (algorithm) => {
    test('a refused call and a peek write nothing', async () => {
      const numbers = { limit: 2, windowMs: 1_000, subWindows: 10 };
      const level = levelOf(algorithm);
      await level.send({ clock: TODAY, cost: 2, numbers });
      const before = await redis.getBuffer(level.key);
      await level.send({ clock: TODAY + 1, cost: 1, numbers }, { clock: TODAY + 2, cost: 0, numbers });
      expect(await redis.getBuffer(level.key)).toEqual(before);
      const unseen = levelOf(algorithm);
      await unseen.send({ clock: TODAY, cost: 0, numbers });
      expect(await redis.exists(unseen.key)).toBe(0);
    });

    test('its key expires by itself, after all units have returned', async () => {
      const numbers = { limit: 200, windowMs: 500_000, subWindows: 10 };
      const level = levelOf(algorithm);
      for (const cost of [1, 130, 60]) {
        const [verdict] = await level.send({ clock: TODAY, cost, numbers });
        const livesMs = await redis.pttl(level.key);
        expect(livesMs).toBeGreaterThan(verdict?.resetMs ?? Number.POSITIVE_INFINITY);
        expect(livesMs).toBeLessThanOrEqual(610_000);
      }
    });

    test('by the clock of the store, its expiry is set once in half a minute', async () => {
      const numbers = { limit: 5, windowMs: 20_000, subWindows: 10 };
      const { key, send } = levelOf(algorithm);
      const halfMinute = async () => Math.floor(Number((await redis.time())[0]) / 30);
      /** Returns true if a call keeps the expiry of the key after a state of that instant. */
      const keepsExpiry = async (clock?: number) => {
        await redis.del(key);
        await send({ cost: 1, numbers, clock });
        await redis.pexpire(key, 900_000);
        await send({ cost: 1, numbers });
        return (await redis.pttl(key)) > 800_000;
      };
      let before: number;
      let kept: boolean[];
      do {
        before = await halfMinute();
        kept = [await keepsExpiry(), await keepsExpiry(before * 30_000 - 1)];
      } while (before !== (await halfMinute()));
      expect(kept).toEqual([true, false]);
    });

    test('a cost above a lowered limit is refused in every state', async () => {
      const numbers = { limit: 5, windowMs: 1_000, subWindows: 10 };
      const lowered = { ...numbers, limit: 2 };
      const level = levelOf(algorithm);
      const verdicts = await level.send(
        { clock: TODAY, cost: 3, numbers: lowered },
        { clock: TODAY, cost: 3, numbers },
        { clock: TODAY, cost: 3, numbers: lowered },
      );
      expect(verdicts).toMatchObject([
        { allowed: false, used: 0, retryAfterMs: 1_000 },
        { allowed: true, used: 3 },
        { allowed: false, used: 3, retryAfterMs: 1_000 },
      ]);
    });
  });

  describe('at the limits of numbers', () => {
    test.each(ALGORITHMS)('%s: a million units a hundred days', async (algorithm) => {
      const numbers = { limit: 1_000_000, windowMs: 9_000_000_000, subWindows: 10 };
      const level = levelOf(algorithm);
      const [all, refused] = await level.send(
        { clock: TODAY, cost: 1_000_000, numbers },
        { clock: TODAY, cost: 1, numbers },
      );
      expect(all).toMatchObject({ allowed: true, used: 1_000_000 });
      const clock = TODAY + (refused?.retryAfterMs ?? 0);
      const verdicts = await level.send({ clock: clock - 1, cost: 1, numbers }, { clock, cost: 1, numbers });
      expect(verdicts.map(({ allowed }) => allowed)).toEqual([false, true]);
      await redis.del(level.key);
    });

    test('100 sub-windows of a window of 5 ms are the 5 milliseconds', async () => {
      const numbers = { limit: 1, windowMs: 5, subWindows: 100 };
      const verdicts = await levelOf('sliding-counter').send(
        { clock: TODAY, cost: 1, numbers },
        { clock: TODAY + 4, cost: 1, numbers },
        { clock: TODAY + 5, cost: 1, numbers },
      );
      expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, false, true]);
    });
  });

  test('a shadow queue delays no call', async () => {
    const key = freshPrefix();
    const level = { ...testLevel('leaky-bucket', { limit: 3, windowMs: 1_000 }), mode: 'shadow' as const };
    const call = () => decideOne(store, key, { policyArgs: testArgs([level]), clock: TODAY });
    await call();
    expect(await call()).toMatchObject({
      outcome: 'admitted',
      levels: [{ used: 2, retryAfterMs: 0, refuses: false, delayMs: 0 }],
    });
  });

  test('three calls in a queue of 3 per second start at 0, 334 and 667 ms, a fourth is refused', async () => {
    const call = { clock: TODAY, cost: 1, numbers: { limit: 3, windowMs: 1_000, subWindows: 10 } };
    const verdicts = await levelOf('leaky-bucket').send(call, call, call, call);
    expect(verdicts.map(({ allowed, delayMs }) => [allowed, delayMs])).toEqual([
      [true, 0],
      [true, 334],
      [true, 667],
      [false, 0],
    ]);
    expect(verdicts[3]?.retryAfterMs).toBe(334);
  });

  test(`${name} has the integer width that it is tested for`, async () => {
    expect(await redis.info('server')).toContain(name === 'Redis' ? 'arch_bits:64' : 'arch_bits:32');
  });
});
