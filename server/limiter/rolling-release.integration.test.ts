import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import type { RedisClient } from '../redis/client';
import { createLimiter } from './limiter';
import { type Level, resolvePolicy } from './policy';

let redis: RedisClient;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

type Levels = Level<unknown>[];

const START = 1_795_226_300_000;
const user: Level<unknown> = { level: 'user', limit: 3, windowMs: 1_000 };
const shop: Level<unknown> = { level: 'shop', by: () => 'one', limit: 9, windowMs: 1_000 };
const globalLevel: Level<unknown> = { level: 'global', limit: 9, windowMs: 1_000 };

/** Nodes of two versions on one store, and how many calls of one caller at one instant they admit together. */
function release(before: Levels, after: Levels) {
  const prefix = freshPrefix();
  const nodes = [before, after].map((levels) => {
    const policy = resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
    const limiter = createLimiter({ redis, secret: 'test', prefix, clock: () => START });
    const subjects = levels.map(() => 'ada');
    return {
      call: (requestId?: string) => limiter.decide(policy, { subjects, requestId }),
      /** As an operator does on every node, by the name of the level. */
      setLimit: (limit: number) =>
        limiter.setOverrides([{ policy: 'test', level: 'user', limit, version: 1 }]),
    };
  });
  async function admitted(): Promise<number> {
    let count = 0;
    for (let made = 0; made < 40; made += 1) {
      const decision = await nodes[made % 2]?.call();
      if (decision?.allowed) count += 1;
    }
    return count;
  }
  return { nodes, admitted };
}

describe('two versions of a policy admit together at most', () => {
  test.each<[string, number, Levels, Levels]>([
    ['the larger limit, where the limit changes', 5, [user], [{ ...user, limit: 5 }]],
    ['the limit, where the window changes', 3, [user], [{ ...user, windowMs: 5_000 }]],
    [
      'the limit, where the punishment changes',
      3,
      [user],
      [{ ...user, punishment: { warnAt: 50, banAt: 90, banMs: 1 } }],
    ],
    [
      'the limit of each level that both have, where one is added to two',
      3,
      [user, shop],
      [user, shop, globalLevel],
    ],
    ['the sum, where the algorithm changes', 6, [user], [{ ...user, algorithm: 'fixed-window' }]],
    ['the sum, where one level becomes two', 6, [user], [user, globalLevel]],
    ['the sum, where two levels become one', 6, [user, globalLevel], [user]],
    [
      'the sum, where another subject is counted',
      6,
      [{ ...shop, limit: 3 }],
      [{ ...shop, limit: 3, level: 'store' }],
    ],
  ])('%s', async (_what, most, before, after) => {
    expect(await release(before, after).admitted()).toBe(most);
  });
});

test('with half of the limit while both versions run, they admit the limit together', async () => {
  const { nodes, admitted } = release(
    [{ ...user, limit: 8 }],
    [{ ...user, limit: 8, algorithm: 'fixed-window' }],
  );
  for (const node of nodes) node.setLimit(4);
  expect(await admitted()).toBe(8);
});

test('if one level becomes two, a request id that was charged before is charged again', async () => {
  const [former, next] = release([user], [user, globalLevel]).nodes;
  expect(await former?.call('id')).toMatchObject({ replayed: false });
  expect(await next?.call('id')).toMatchObject({ replayed: false });
  expect(await next?.call('id')).toMatchObject({ replayed: true });
});
