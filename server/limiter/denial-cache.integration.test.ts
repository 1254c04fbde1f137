import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import type { ScriptHost } from '../lua-scripts';
import type { Decision } from './decision';
import { createLimiter } from './limiter';
import { type Level, resolvePolicy } from './policy';

/** A limiter on a clock that the test sets, and the number of its script calls. */
async function nodeOf(
  prefix = freshPrefix(),
  clock = { now: 1_795_226_300_000 },
  options: { cacheDenials?: boolean } = {},
) {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  let sent = 0;
  const counting: ScriptHost = {
    defineCommand(name, definition) {
      redis.defineCommand(name, definition);
      const run: unknown = Reflect.get(redis, name);
      Reflect.set(counting, name, (...args: unknown[]) => {
        sent += 1;
        return Reflect.apply(run as (...args: unknown[]) => unknown, redis, args);
      });
    },
  };
  const limiter = createLimiter({
    redis: counting,
    secret: 'test',
    prefix,
    clock: () => clock.now,
    ...options,
  });
  return { clock, limiter, prefix, redis, sent: () => sent };
}

function policyOf(...levels: Level<unknown>[]) {
  return resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
}

const admittedOf = (decisions: readonly Decision[]) => decisions.filter(({ allowed }) => allowed).length;
const globalCall = { subjects: [''] };

test('a refusal is repeated without the store until its last millisecond, and then the call is sent', async () => {
  const { clock, limiter, sent } = await nodeOf();
  const policy = policyOf({ level: 'global', limit: 2, windowMs: 1_000 });
  await limiter.decide(policy, globalCall);
  clock.now += 300;
  await limiter.decide(policy, globalCall);
  const before = sent();
  for (const waitMs of [700, 400, 1]) {
    clock.now = 1_795_226_301_000 - waitMs;
    expect(await limiter.decide(policy, globalCall)).toMatchObject({
      allowed: false,
      reason: 'limited',
      now: clock.now,
      refusedBy: { level: 'global', limit: 2, used: 2, remaining: 0, retryAfterMs: waitMs },
    });
  }
  expect(sent()).toBe(before);
  clock.now += 1;
  expect((await limiter.decide(policy, globalCall)).allowed).toBe(true);
  expect(sent()).toBe(before + 1);
});

test('a denial that has ended stays ended if the clock runs backwards', async () => {
  const { clock, limiter, prefix } = await nodeOf();
  const other = await nodeOf(prefix, clock);
  const policy = policyOf({ level: 'user', limit: 2, windowMs: 1_000 });
  const [ada, bob] = [{ subjects: ['ada'] }, { subjects: ['bob'] }];
  for (const allowed of [true, true, false])
    expect(await limiter.decide(policy, ada)).toMatchObject({ allowed });
  clock.now += 1_000;
  // The other node starts a new window; this one reads its clock for another caller.
  await other.limiter.decide(policy, ada);
  await limiter.decide(policy, bob);
  clock.now -= 400;
  expect(limiter.cachedRefusal(policy, ada)).toBeUndefined();
  expect(await limiter.decide(policy, ada)).toMatchObject({ allowed: true, levels: [{ used: 2 }] });
});

test('a level that is full for one caller is not full for others', async () => {
  const { limiter } = await nodeOf();
  const policy = policyOf({ level: 'user', limit: 1, windowMs: 1_000 });
  await limiter.decide(policy, { subjects: ['ada'] });
  expect((await limiter.decide(policy, { subjects: ['ada'] })).allowed).toBe(false);
  expect((await limiter.decide(policy, { subjects: ['bob'] })).allowed).toBe(true);
});

test('a refusal by two cached denials names the first level in checking order', async () => {
  const { limiter, sent } = await nodeOf();
  const policy = policyOf(
    { level: 'user', limit: 1, windowMs: 1_000 },
    { level: 'global', limit: 2, windowMs: 1_000 },
  );
  await limiter.decide(policy, { subjects: ['ada', ''] });
  await limiter.decide(policy, { subjects: ['bob', ''] });
  const before = sent();
  expect(await limiter.decide(policy, { subjects: ['ada', ''] })).toMatchObject({
    refusedBy: { level: 'user' },
  });
  expect(await limiter.decide(policy, { subjects: ['eve', ''] })).toMatchObject({
    refusedBy: { level: 'global' },
  });
  expect(sent()).toBe(before);
});

test('a changed limit invalidates the cached denials', async () => {
  const { limiter } = await nodeOf();
  const policy = policyOf({ level: 'global', limit: 1, windowMs: 1_000 });
  await limiter.decide(policy, globalCall);
  expect((await limiter.decide(policy, globalCall)).allowed).toBe(false);
  limiter.setOverrides([{ policy: 'test', level: 'global', limit: 2, version: 1 }]);
  expect((await limiter.decide(policy, globalCall)).allowed).toBe(true);
});

test('a shadow level refuses no call from the cache', async () => {
  const { limiter } = await nodeOf();
  const policy = policyOf({ level: 'global', limit: 1, windowMs: 1_000, mode: 'shadow' });
  for (let call = 0; call < 3; call += 1) {
    expect((await limiter.decide(policy, globalCall)).allowed).toBe(true);
  }
});

test('a call that costs more than a unit is sent even if no unit is left', async () => {
  const { clock, limiter } = await nodeOf();
  const policy = { ...policyOf({ level: 'global', limit: 2, windowMs: 1_000 }), cost: 2 };
  await limiter.decide(policy, globalCall);
  clock.now += 1_000;
  expect((await limiter.decide(policy, globalCall)).allowed).toBe(true);
});

test('a refusal by a punishing level is never cached, and its ban for a second', async () => {
  const { clock, limiter, sent } = await nodeOf();
  const punishment = { warnAt: 1, banAt: 2, banMs: 60_000 };
  const policy = policyOf({ level: 'user', limit: 1, windowMs: 10_000, punishment });
  const call = () => limiter.decide(policy, { subjects: ['ada'] });
  await call();
  expect(await call()).toMatchObject({ reason: 'limited', refusedBy: { punished: { violations: 1 } } });
  expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { punished: { violations: 2 } } });
  expect(sent()).toBe(3);
  clock.now += 999;
  expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { retryAfterMs: 59_001 } });
  expect(sent()).toBe(3);
  clock.now += 1;
  expect((await call()).allowed).toBe(false);
  expect(sent()).toBe(4);
});

test('when a window reopens, a few calls are sent, and their replies refuse the others', async () => {
  const { clock, limiter, sent } = await nodeOf();
  const policy = policyOf({ level: 'global', limit: 3, windowMs: 1_000 });
  const crowd = () => Promise.all(Array.from({ length: 1_000 }, () => limiter.decide(policy, globalCall)));
  expect(admittedOf(await crowd())).toBe(3);
  const before = sent();
  clock.now += 1_000;
  expect(admittedOf(await crowd())).toBe(3);
  expect(sent() - before).toBeLessThanOrEqual(8);
});

test('when a wide window reopens, as many calls as fit are admitted at once', async () => {
  const { clock, limiter } = await nodeOf();
  const policy = policyOf({ level: 'global', limit: 300, windowMs: 1_000 });
  const crowd = () => Promise.all(Array.from({ length: 500 }, () => limiter.decide(policy, globalCall)));
  expect(admittedOf(await crowd())).toBe(300);
  clock.now += 1_000;
  expect(admittedOf(await crowd())).toBe(300);
});

test('when a window reopens, every call of a crowd that its own level refuses gets a decision', async () => {
  const { clock, limiter } = await nodeOf();
  const policy = policyOf(
    { level: 'user', limit: 1, windowMs: 10_000 },
    { level: 'global', limit: 10, windowMs: 1_000 },
  );
  for (let caller = 0; caller <= 10; caller += 1) {
    await limiter.decide(policy, { subjects: [`caller ${caller}`, ''] });
  }
  clock.now += 1_000;
  const crowd = Array.from({ length: 100 }, () => limiter.decide(policy, { subjects: ['ada', ''] }));
  expect(admittedOf(await Promise.all(crowd))).toBe(1);
});

test('a simulation without cached denials sends every call, and each is decided at its own instant', async () => {
  const { clock, limiter, sent } = await nodeOf(undefined, undefined, { cacheDenials: false });
  const policy = policyOf({ level: 'global', limit: 1, windowMs: 1_000 });
  const start = clock.now;
  const decisions = [0, 100, 400, 999, 1_000].map((afterMs) => {
    clock.now = start + afterMs;
    return limiter.decide(policy, globalCall);
  });
  const results = (await Promise.all(decisions)).map(({ allowed, now, levels: [level] }) => [
    allowed,
    now - start,
    level?.retryAfterMs,
  ]);
  expect(results).toEqual([
    [true, 0, 1_000],
    [false, 100, 900],
    [false, 400, 600],
    [false, 999, 1],
    [true, 1_000, 1_000],
  ]);
  clock.now = start + 1_001;
  const before = sent();
  expect((await limiter.decide(policy, globalCall)).allowed).toBe(false);
  expect(sent(), 'the refusal before is not cached').toBe(before + 1);
  expect(limiter.cachedRefusal(policy, globalCall)).toBeUndefined();
});
