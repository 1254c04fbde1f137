import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import { redisUrl } from '../../test/services/worker-services';
import { createLimiter } from './limiter';
import { type Level, resolvePolicy } from './policy';

const START = 1_795_226_300_000;
const HOUR = 3_600_000;

interface NodeOptions {
  url?: string;
  levels: Level<unknown>[];
  timeoutMs?: number;
}

/** A limiter on a clock that the test sets, and how many calls it has sent to the store. */
async function nodeOf({ url, levels, timeoutMs = 5_000 }: NodeOptions) {
  const redis = await connectTestRedis(url ?? (await redisUrl()));
  onTestFinished(() => redis.disconnect());
  const clock = { now: START };
  const policy = resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
  let sent = 0;
  const fcall = redis.fcall.bind(redis);
  const countedFcall = (name: string, keyCount: number, ...keysAndArgs: (string | number)[]) => {
    sent += keyCount / levels.length;
    return fcall(name, keyCount, ...keysAndArgs);
  };
  Reflect.set(redis, 'fcall', countedFcall);
  const prefix = freshPrefix();
  const limiter = createLimiter({
    ...{ redis, secret: 'test', prefix, clock: () => clock.now },
    // Thousands of calls of one tick are sent here.
    timeoutMs,
  });
  const call = (...subjects: string[]) => limiter.decide(policy, { subjects });
  return { redis, clock, policy, prefix, limiter, call, sent: () => sent };
}

test('a denial is trusted for 10 s, and then one call of a crowd probes the store', async () => {
  const { clock, call, sent } = await nodeOf({ levels: [{ level: 'global', limit: 1, windowMs: HOUR }] });
  const crowd = () => Promise.all(Array.from({ length: 1_000 }, () => call('')));
  await call('');
  const before = sent();
  clock.now = START + 9_999;
  expect((await crowd()).some(({ allowed }) => allowed)).toBe(false);
  expect(sent()).toBe(before);
  for (let round = 1; round <= 5; round += 1) {
    clock.now = START + round * 10_000;
    const decisions = await crowd();
    expect(decisions.some(({ allowed }) => allowed)).toBe(false);
    expect(decisions[999]).toMatchObject({ refusedBy: { retryAfterMs: HOUR - round * 10_000 } });
    expect(sent()).toBe(before + round);
  }
});

test('a window that is deleted in Redis is open 10 s later', async () => {
  const { redis, clock, call, prefix } = await nodeOf({
    levels: [{ level: 'user', limit: 1, windowMs: 365 * 24 * HOUR }],
  });
  await call('ada');
  await redis.del(await redis.keys(`${prefix}*`));
  expect((await call('ada')).allowed).toBe(false);
  clock.now += 10_000;
  expect((await call('ada')).allowed).toBe(true);
});

test('10,000 refused subjects cost at most 0.1 calls to Redis for each of them and second', async () => {
  const { clock, call, sent } = await nodeOf({
    levels: [
      { level: 'user', limit: 1, windowMs: HOUR },
      { level: 'ip', limit: 1, windowMs: HOUR },
      { level: 'global', limit: 1_000_000, windowMs: HOUR },
    ],
  });
  const subjects = Array.from({ length: 10_000 }, (_one, index) => `subject ${index}`);
  const everyone = () => Promise.all(subjects.map((subject) => call(subject, subject, '')));
  await everyone();
  const before = sent();
  const seconds = 40;
  for (let second = 2; second <= seconds; second += 2) {
    clock.now = START + second * 1_000;
    expect((await everyone()).every(({ allowed }) => !allowed)).toBe(true);
  }
  const perSubjectAndSecond = (sent() - before) / (subjects.length * seconds);
  expect(perSubjectAndSecond).toBeLessThanOrEqual(0.1);
});

test('a call that the node could shed is sent as the probe', async () => {
  const { clock, call, sent, limiter, policy } = await nodeOf({
    levels: [{ level: 'global', limit: 1, windowMs: HOUR }],
  });
  await call('');
  const before = sent();
  clock.now += 10_000;
  expect(limiter.cachedRefusal(policy, { subjects: [''] })).toBeUndefined();
  expect((await call('')).allowed).toBe(false);
  expect(sent()).toBe(before + 1);
  expect(limiter.cachedRefusal(policy, { subjects: [''] })).toBeDefined();
});

test('a probe that one level refuses renews or ends the cached denials of the others', async () => {
  const { redis, clock, call, sent, prefix } = await nodeOf({
    levels: [
      { level: 'ip', limit: 2, windowMs: HOUR },
      { level: 'user', limit: 1, windowMs: HOUR },
      { level: 'global', limit: 3, windowMs: HOUR },
    ],
  });
  await call('10.0.0.1', 'ada', '');
  await call('10.0.0.1', 'bob', '');
  await call('10.0.0.2', 'eve', '');
  const before = sent();
  clock.now += 10_000;
  await redis.del(await redis.keys(`${prefix}*user*`));
  expect(await call('10.0.0.1', 'ada', '')).toMatchObject({ refusedBy: { level: 'ip' } });
  expect(sent()).toBe(before + 1);
  clock.now += 5_000;
  expect(await call('10.0.0.2', 'ada', '')).toMatchObject({ refusedBy: { level: 'global' } });
  expect(sent()).toBe(before + 1);
});

test('a probe without a reply ends with the cached denial: 429, not 503', async () => {
  const service = await startRedis();
  onTestFinished(() => service.stop());
  const { clock, call, limiter, policy } = await nodeOf({
    url: service.url,
    timeoutMs: 250,
    levels: [{ level: 'global', limit: 1, windowMs: HOUR }],
  });
  await call('');
  await service.kill();
  clock.now += 10_000;
  expect(await call('')).toMatchObject({ allowed: false, degraded: false, refusedBy: { level: 'global' } });
  expect(limiter.cachedRefusal(policy, { subjects: [''] }), 'until the next probe').toBeDefined();
});
