import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { createLimiter, resolvePolicy } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import type { RedisClient } from '../redis/client';
import { subjectsKey } from '../redis/keys';
import { createSubjectStats } from './subject-stats';

const MINUTE = 60_000;

const policy = resolvePolicy<never>(
  {
    name: 'seckill',
    levels: [
      { level: 'user', limit: 3, windowMs: MINUTE },
      { level: 'global', limit: 8, windowMs: MINUTE },
    ],
    message: { en: 'Too many.' },
  },
  'seckill',
);

let service: TestService;
let redis: RedisClient;
let prefix: string;
let now: number;
let elapsed: number;

beforeAll(async () => {
  service = await startEmptyRedis();
  redis = await connectTestRedis(service.url);
});
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});
beforeEach(() => {
  prefix = freshPrefix();
  now = 1_700_000_000_000;
  elapsed = 0;
});

function nodeOf(name: string) {
  const clocks = { storeNow: () => now, elapsed: () => elapsed };
  const subjects = createSubjectStats({ redis, node: prefix + name, ...clocks });
  const limiter = createLimiter({
    ...{ store: ioredisStore(redis), prefix, secret: 'a secret of at least 32 characters', clock: () => now },
    onDecision: (outcome) => subjects.count(outcome),
  });
  const calls = async (user: string, count: number) => {
    for (let made = 0; made < count; made += 1) await limiter.decide(policy, { subjects: { user } });
  };
  return { subjects, calls };
}

const nodes = (...names: string[]) => names.map((name) => prefix + name);

test('a refusal counts once, by any window, summed over all nodes, with a masked subject', async () => {
  const [one, other] = [nodeOf('one'), nodeOf('other')];
  await one.calls('ada-1234567', 5);
  await other.calls('bob-7654321', 3);
  // Two of everybody's eight are left: cleo is refused by the window that all share.
  await other.calls('cleo-abcdefg', 6);
  await one.calls('ada-1234567', 1);
  await Promise.all([one.subjects.publishStats(), other.subjects.publishStats()]);
  const refused = await one.subjects.readRefused(nodes('one', 'other', 'nobody'));
  expect(refused.map(({ level, subject, atLeast, atMost }) => [level, subject, atLeast, atMost])).toEqual([
    ['user', 'cle…fg', 4, 4],
    ['user', 'ada…67', 3, 3],
  ]);
  expect(refused.map(({ level, refusedBy }) => `counted as ${level}, refused by ${refusedBy}`)).toEqual([
    'counted as user, refused by global',
    'counted as user, refused by user',
  ]);
  expect(JSON.stringify(await redis.mget(await redis.keys('*subjects*')))).not.toMatch(/1234567|abcdefg/);
});

test('a caller that two levels refused has the count of each', async () => {
  const node = nodeOf('one');
  await node.calls('ada-1234567', 5);
  await node.calls('bob-7654321', 3);
  await node.calls('cleo-abcdefg', 2);
  now += MINUTE / 2;
  await node.calls('dan-1111111', 1);
  now += MINUTE / 2;
  // The window of ada is empty, and others fill the shared one.
  await node.calls('eve-2222222', 3);
  await node.calls('fay-3333333', 3);
  await node.calls('ada-1234567', 5);
  await node.subjects.publishStats();
  const refused = await node.subjects.readRefused(nodes('one'));
  const ada = refused.filter(({ subject }) => subject === 'ada…67');
  expect(ada.map(({ refusedBy, atLeast }) => [refusedBy, atLeast]).sort()).toEqual([
    ['global', 3],
    ['user', 2],
  ]);
});

test('the counts of an older node do not name the refusing level', async () => {
  const summary = { entries: [{ ref: 'r', subject: 'ada…67', atLeast: 2, atMost: 2 }], othersAtMost: 0 };
  const stats = { refused: [{ policy: 'seckill', level: 'user', summary }], fullest: [] };
  await redis.set(subjectsKey(`${prefix}old`), JSON.stringify(stats));
  const [row] = await nodeOf('one').subjects.readRefused(nodes('old'));
  expect(row).toEqual({ policy: 'seckill', level: 'user', ...summary.entries[0] });
});

test('refusals are dropped after ten minutes', async () => {
  const node = nodeOf('one');
  await node.calls('ada-1234567', 5);
  elapsed += 5 * MINUTE;
  await node.subjects.publishStats();
  expect(await node.subjects.readRefused(nodes('one'))).toHaveLength(1);
  elapsed += 5 * MINUTE;
  await node.subjects.publishStats();
  expect(await node.subjects.readRefused(nodes('one'))).toEqual([]);
});

test('a correction of the system clock drops no refusals', async () => {
  const node = nodeOf('one');
  await node.calls('ada-1234567', 5);
  now += 60 * MINUTE;
  await node.subjects.publishStats();
  expect(await node.subjects.readRefused(nodes('one'))).toHaveLength(1);
});

test('the top subject has the most units in a window that has not ended, on any node', async () => {
  const [one, other] = [nodeOf('one'), nodeOf('other')];
  const fullest = async () => {
    await Promise.all([one.subjects.publishStats(), other.subjects.publishStats()]);
    const found = await one.subjects.readTop(nodes('one', 'other'));
    return found.map(({ level, subject, used }) => [level, subject, used]);
  };
  await one.calls('ada-1234567', 2);
  await other.calls('bob-7654321', 3);
  await other.calls('ada-1234567', 0);
  expect(await fullest()).toEqual([['user', 'bob…21', 3]]);
  now += MINUTE;
  expect(await fullest()).toEqual([]);
  await one.calls('cleo-abcdefg', 1);
  expect(await fullest()).toEqual([['user', 'cle…fg', 1]]);
});

test('the usage of the top subject is the newest one', async () => {
  const node = nodeOf('one');
  const used = async () => {
    await node.subjects.publishStats();
    return (await node.subjects.readTop(nodes('one'))).map((one) => one.used);
  };
  await node.calls('ada-1234567', 1);
  now += MINUTE / 2;
  await node.calls('ada-1234567', 2);
  expect(await used()).toEqual([3]);
  // Before the last call, all three have left.
  now += MINUTE - 1;
  await node.calls('ada-1234567', 1);
  now += 1;
  await node.calls('ada-1234567', 1);
  expect(await used()).toEqual([2]);
});

test('the statistics are published again to an emptied Redis', async () => {
  const node = nodeOf('one');
  await node.calls('ada-1234567', 5);
  await node.subjects.publishStats();
  await redis.flushall();
  await node.subjects.publishStats();
  expect(await node.subjects.readRefused(nodes('one'))).toHaveLength(1);
});
