import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeStores } from '../../../test/limiter-stores';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { stores } from '../../../test/stores';
import type { RedisClient } from '../../redis/client';
import { createLimiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import type { Level, Policy, RequestId } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { RequestIdConflictError } from './request-id';

const userAndGlobal: Level<unknown>[] = [
  { level: 'user', limit: 5, windowMs: 1_000 },
  { level: 'global', limit: 9, windowMs: 1_000 },
];

/** A limiter on a clock that the test sets, and a way to call a policy of these levels. */
function limitedOn(store: Pick<LimiterOptions, 'store'>, levels: readonly Level<unknown>[]) {
  const clock = { now: 1_795_226_301_987 };
  const prefix = freshPrefix();
  // A cached denial would refuse a replay before the store could find its id.
  const options = { ...store, secret: 'a secret of at least 32 characters', prefix, cacheDenials: false };
  const limiter = createLimiter({ ...options, clock: () => clock.now });
  const policy = resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
  const subjects = Object.fromEntries(levels.map(({ level }) => [level, level]));
  return {
    clock,
    prefix,
    limiter,
    call: (requestId?: string | RequestId) => limiter.decide(policy, { subjects, requestId }),
    used: async () => (await limiter.peek(policy, subjects)).windows.map(({ used }) => used),
  };
}

describeStores((current) => {
  const limited = (...own: Level<unknown>[]) => limitedOn({ store: current.store }, own);

  describe('an id and its input', () => {
    test('with the same input a call is a replay, with another a conflict; neither charges', async () => {
      const { call, used } = limited(...userAndGlobal);
      expect(await call({ id: 'id', input: 'a' })).toMatchObject({ allowed: true, replayed: false });
      await expect(call({ id: 'id', input: 'b' })).rejects.toThrow(RequestIdConflictError);
      await expect(call('id')).rejects.toThrow(RequestIdConflictError);
      expect(await call({ id: 'id', input: 'a' })).toMatchObject({ allowed: true, replayed: true });
      expect(await used()).toEqual([1, 1]);
    });

    test('of two concurrent inputs one is charged and the other is a conflict', async () => {
      const { call, used } = limited(...userAndGlobal);
      const outcomes = await Promise.allSettled(['a', 'b', 'a'].map((input) => call({ id: 'id', input })));
      expect(outcomes).toMatchObject([
        { value: { replayed: false } },
        { reason: { name: 'RequestIdConflictError' } },
        { value: { replayed: true } },
      ]);
      expect(await used()).toEqual([1, 1]);
    });

    test('a refused call leaves its id free for another input', async () => {
      const { clock, call } = limited({ level: 'global', limit: 1, windowMs: 1_000 });
      await call();
      expect(await call({ id: 'id', input: 'a' })).toMatchObject({ allowed: false });
      clock.now += 1_000;
      expect(await call({ id: 'id', input: 'b' })).toMatchObject({ allowed: true, replayed: false });
    });
  });

  describe('a policy whose calls settle or count in flight', () => {
    const user: Level<unknown> = { level: 'user', limit: 5, windowMs: 1_000 };
    const message = { en: 'Too many.' };

    test.each<[name: string, fields: Omit<Policy<unknown>, 'message'>, fix: string]>([
      [
        'settling',
        { levels: [user], settle: 'failures' },
        'Policy "settling": requestId of this call is "id". Omit it: a repeated call is admitted because its units are charged, and those of settled calls return.',
      ],
      [
        'running',
        { levels: [user, { level: 'ip', concurrent: 5, leaseMs: 1_000 }] },
        'Policy "running": requestId of this call is "id". Omit it: a repeated call charges nothing, so it would run without a lease of level "ip".',
      ],
    ])(
      '%s: a request id is refused before any charge, and the batch is decided',
      async (name, fields, fix) => {
        const { limiter, call } = limited({ level: 'global', limit: 3, windowMs: 1_000 });
        const policy = resolvePolicy<unknown>({ ...fields, name, message }, name);
        const subjects = { user: 'ada', ip: '192.0.2.1' };
        const repeat = () => limiter.decide(policy, { subjects, requestId: { id: 'id', input: 'a' } });
        expect(() => limiter.cachedRefusal(policy, { subjects, requestId: 'id' })).toThrow(fix);
        const outcomes = await Promise.allSettled([1, 2, 3, 4].flatMap(() => [repeat(), call()]));
        const [repeats, others] = [0, 1].map((odd) => outcomes.filter((_, index) => index % 2 === odd));
        for (const one of repeats ?? []) expect(one).toMatchObject({ reason: { message: fix } });
        expect(others?.map((one) => one.status === 'fulfilled' && one.value.allowed)).toEqual([
          ...[true, true, true, false],
        ]);
        expect((await limiter.peek(policy, subjects)).windows.every(({ used }) => used === 0)).toBe(true);
        expect(await limiter.decide(policy, { subjects })).toMatchObject({ allowed: true });
      },
    );
  });

  describe('a leaky bucket', () => {
    const queue: Level<unknown> = {
      level: 'global',
      algorithm: 'leaky-bucket',
      limit: 3,
      windowMs: 1_000,
    };
    const delayOf = async (call: Promise<object>) => ({ delayMs: 0, ...(await call) }).delayMs;

    test('a replay keeps the start of the charged call, however many calls follow', async () => {
      const { clock, call } = limited(queue);
      // Starts are ceil(1000 / 3) ms apart: at 0, 334 and 667.
      expect(await delayOf(call('a'))).toBe(0);
      expect(await delayOf(call('b'))).toBe(334);
      expect(await delayOf(call('c'))).toBe(667);
      expect(await delayOf(call('b'))).toBe(334);
      clock.now += 300;
      expect(await delayOf(call('a'))).toBe(0);
      expect(await delayOf(call('b'))).toBe(34);
      expect(await delayOf(call('c'))).toBe(367);
      clock.now += 334;
      expect(await delayOf(call('d'))).toBe(366);
      expect(await delayOf(call('c'))).toBe(33);
      clock.now += 10_000;
      expect(await delayOf(call('c'))).toBe(0);
    });

    test('copies of one call at the same time have one start', async () => {
      const { call } = limited(queue);
      const calls = await Promise.all(['a', 'b', 'b', 'a', 'b'].map((id) => delayOf(call(id))));
      expect(calls).toEqual([0, 334, 334, 0, 334]);
    });

    test('of two queues the later start counts, and a changed limit moves no start', async () => {
      const { clock, call, limiter } = limited({ ...queue, level: 'user', limit: 2 }, queue);
      await call('a');
      expect(await delayOf(call('b'))).toBe(500);
      limiter.setOverrides([{ policy: 'test', level: 'user', limit: 1, windowMs: 9_000, version: 1 }]);
      clock.now += 100;
      expect(await delayOf(call('b'))).toBe(400);
    });

    test('a call that no bucket delayed has started, whatever its replay finds', async () => {
      const { clock, call, limiter } = limited(queue, { level: 'user', limit: 9, windowMs: 1_000 });
      const setMode = (mode: 'off' | 'enforce') =>
        limiter.setOverrides([{ policy: 'test', level: 'global', mode, version: 1 }]);
      setMode('off');
      await call('a');
      setMode('enforce');
      await call('b');
      clock.now += 1;
      expect(await delayOf(call('a'))).toBe(0);
    });

    test('in shadow it delays neither a call nor its replay', async () => {
      const { call } = limited({ ...queue, mode: 'shadow' });
      await call('a');
      expect(await delayOf(call('b'))).toBe(0);
      expect(await delayOf(call('b'))).toBe(0);
    });
  });
});

describe.each(stores)('the keys on $store', ({ storeUrl }) => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connectTestRedis(await storeUrl());
  });
  afterAll(() => redis.quit());

  test('a charged id takes one key of at most 128 bytes, its own name of 48 included', async () => {
    const { call, prefix } = limitedOn({ store: ioredisStore(redis) }, userAndGlobal);
    await call({ id: 'id', input: 'a' });
    const keys = await redis.keys(`${prefix}*#*`);
    expect(keys).toHaveLength(1);
    const [key = ''] = keys;
    expect(await redis.get(key)).toMatch(/^\d+$/);
    expect(await redis.memory('USAGE', key)).toBeLessThanOrEqual(128 - 48 + key.length);
  });
});
