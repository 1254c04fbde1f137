import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import type { RedisClient } from '../redis/client';
import { rateLimitHeaders } from './headers';
import { createLimiter } from './limiter';
import type { Override } from './overrides';
import { type Level, resolvePolicy } from './policy';

let redis: RedisClient;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

const user: Level<unknown> = { level: 'user', limit: 3, windowMs: 1_000 };
const everybody: Level<unknown> = { level: 'global', limit: 10, windowMs: 1_000 };

/** A limiter on a clock that the test sets, whose level `user` can be tuned. */
function tunable(...levels: Level<unknown>[]) {
  const policy = resolvePolicy({ name: 'sale', levels, message: { en: 'Too many.' } }, 'sale');
  const clock = { now: 1_795_226_301_987 };
  const limiter = createLimiter({ redis, secret: 'test', prefix: freshPrefix(), clock: () => clock.now });
  const subjects = levels.map(({ level }) => level);
  let version = 0;
  return {
    clock,
    limiter,
    call: () => limiter.decide(policy, { subjects }),
    calls: async (count: number) => {
      let admitted = 0;
      for (let made = 0; made < count; made += 1) {
        if ((await limiter.decide(policy, { subjects })).allowed) admitted += 1;
      }
      return admitted;
    },
    look: async () => (await limiter.peek(policy, { subjects })).windows,
    tune(change: Partial<Override>) {
      version += 1;
      limiter.setOverrides([{ policy: 'sale', level: 'user', version, ...change }]);
    },
    /** Nothing is overridden any more. */
    reset: () => limiter.setOverrides([]),
  };
}

test('a raised limit admits at once, also whom this node had refused by what it knew', async () => {
  const { calls, tune } = tunable(user);
  expect(await calls(9)).toBe(3);
  tune({ limit: 5 });
  expect(await calls(9)).toBe(2);
});

test('a lowered limit admits nobody before enough of the old window has gone', async () => {
  const { clock, calls, call, tune } = tunable(user);
  for (let made = 0; made < 3; made += 1) {
    expect(await calls(1)).toBe(1);
    clock.now += 100;
  }
  tune({ limit: 1 });
  // Hits at 0, 100 and 200, now 300: the last of them leaves at 1200.
  expect(await call()).toMatchObject({
    allowed: false,
    refusedBy: { limit: 1, remaining: 0, retryAfterMs: 900 },
  });
  clock.now += 899;
  expect(await calls(1)).toBe(0);
  clock.now += 1;
  expect(await calls(2)).toBe(1);
});

test('a lengthened window is exact after one new window', async () => {
  const { clock, calls, tune } = tunable(user);
  expect(await calls(3)).toBe(3);
  clock.now += 1_000;
  tune({ windowMs: 5_000 });
  const lengthenedAt = clock.now;
  const admitted: number[] = [];
  for (let step = 0; step < 200; step += 1) {
    if ((await calls(1)) === 1) admitted.push(clock.now);
    clock.now += 100;
  }
  for (const until of admitted.filter((at) => at >= lengthenedAt + 5_000)) {
    expect(admitted.filter((at) => at > until - 5_000 && at <= until).length).toBeLessThanOrEqual(3);
  }
  expect(admitted.filter((at) => at >= lengthenedAt + 5_000).length).toBeGreaterThanOrEqual(9);
});

test.each(['token-bucket', 'leaky-bucket'] as const)(
  'a lowered limit of a %s: what is out comes back at the former rate until the next admitted call, then at the new one',
  async (algorithm) => {
    const { clock, calls, look, tune } = tunable({ ...user, algorithm, limit: 10 });
    expect(await calls(11)).toBe(10);
    tune({ limit: 2 });
    // 10 units a second come back, and 9 have to: 1 ms earlier the call is refused.
    clock.now += 800;
    expect(await look()).toMatchObject([{ used: 2, retryAfterMs: 100 }]);
    clock.now += 99;
    expect(await calls(1)).toBe(0);
    clock.now += 1;
    expect(await calls(1)).toBe(1);
    // Now 2 units a second come back.
    expect(await look()).toMatchObject([{ used: 2, retryAfterMs: 500 }]);
    clock.now += 499;
    expect(await calls(1)).toBe(0);
    clock.now += 1;
    expect(await calls(1)).toBe(1);
  },
);

test('a shortened window forgets what is older', async () => {
  const { clock, calls, tune } = tunable({ ...user, windowMs: 60_000 });
  expect(await calls(9)).toBe(3);
  clock.now += 500;
  tune({ windowMs: 500 });
  expect(await calls(9)).toBe(3);
});

test('a reset brings back what is declared', async () => {
  const { clock, calls, look, tune, reset } = tunable(user);
  tune({ limit: 5, mode: 'shadow' });
  expect(await calls(9)).toBe(9);
  reset();
  clock.now += 1_000;
  expect(await calls(9)).toBe(3);
  expect(await look()).toMatchObject([{ limit: 3, mode: 'enforce' }]);
});

test('a shadow level refuses nobody, counts what it has room for, and says what it would refuse', async () => {
  const { call, look, tune } = tunable(user, everybody);
  tune({ mode: 'shadow' });
  const shadowRefusals: (readonly string[])[] = [];
  for (let made = 0; made < 5; made += 1) shadowRefusals.push((await call()).shadowRefusals);
  expect(shadowRefusals).toEqual([[], [], [], ['user'], ['user']]);
  expect(await look()).toMatchObject([
    { level: 'user', mode: 'shadow', used: 3, remaining: 0 },
    { level: 'global', mode: 'enforce', used: 5 },
  ]);
});

test('a shadow level is not charged by a call that another level refuses', async () => {
  const { calls, look, tune } = tunable(user, { ...everybody, limit: 2 });
  tune({ mode: 'shadow' });
  expect(await calls(9)).toBe(2);
  expect(await look()).toMatchObject([
    { level: 'user', used: 2 },
    { level: 'global', used: 2 },
  ]);
});

test('a level that is off counts nothing', async () => {
  const { calls, look, tune } = tunable(user, everybody);
  tune({ mode: 'off' });
  expect(await calls(20)).toBe(10);
  expect(await look()).toMatchObject([
    { level: 'user', mode: 'off', used: 0 },
    { level: 'global', used: 10 },
  ]);
});

test('a policy whose only level is off admits without asking the store', async () => {
  const { calls, look, tune } = tunable(user);
  tune({ mode: 'off' });
  expect(await calls(9)).toBe(9);
  expect(await look()).toMatchObject([{ used: 0 }]);
});

test.each(['shadow', 'off'] as const)('a level in mode %s does not show in the headers', async (mode) => {
  const { call, tune } = tunable(user, everybody);
  tune({ mode });
  for (let made = 0; made < 4; made += 1) await call();
  expect(rateLimitHeaders([await call()])).toMatchObject({ 'ratelimit-policy': '"sale:global";q=10;w=1' });
});
