import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sameSubject, subjectsInOrder } from '../../test/call-subjects';
import { describeStores } from '../../test/limiter-stores';
import { propertyRuns } from '../../test/property';
import { connectTestRedis, flushScripts, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import { stores } from '../../test/stores';
import type { RedisClient } from '../redis/client';
import type { Decision } from './decide/decision';
import { createLimiter, type Limiter } from './limiter';
import type { LimiterOptions } from './limiter-options';
import type { Algorithm, Level, ResolvedPolicy } from './policy/policy';
import { resolvePolicy } from './policy/resolve-policy';
import { ioredisStore } from './stores/ioredis-store';

type StoreOption = Pick<LimiterOptions, 'store'>;

/** A limiter on a clock that the test sets, and a way to call it. */
function onClockOf(store: StoreOption, policy: ResolvedPolicy<unknown>) {
  const clock = { now: 1_795_226_301_987 };
  const limiter = createLimiter({
    ...store,
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    clock: () => clock.now,
  });
  const call = (subjects: string[] = policy.levels.map(() => 'someone'), requestId?: string) =>
    limiter.decide(policy, { subjects: subjectsInOrder(policy, subjects), requestId });
  return { clock, limiter, call };
}

describeStores((current) => {
  const onClock = (policy: ResolvedPolicy<unknown>) => onClockOf({ store: current.store }, policy);

  describe('the sliding log', () => {
    test('of 500 calls at once exactly the limit is admitted', async () => {
      const limiter = createLimiter({
        store: current.store,
        secret: 'a secret of at least 32 characters',
        prefix: freshPrefix(),
        timeoutMs: 5_000,
      });
      const policy = policyOf({ level: 'global', limit: 100, windowMs: 600_000 });
      const calls = Array.from({ length: 500 }, () => limiter.decide(policy, { subjects: {} }));
      expect(admittedOf(await Promise.all(calls))).toBe(100);
    });

    test('calls of one millisecond count one by one', async () => {
      const { call } = onClock(policyOf({ level: 'global', limit: 3, windowMs: 1_000 }));
      const decisions = await Promise.all(Array.from({ length: 7 }, () => call()));
      expect(admittedOf(decisions)).toBe(3);
    });

    test('a refused call is admitted after retryAfterMs, and not a millisecond earlier', async () => {
      const { clock, call } = onClock(policyOf({ level: 'global', limit: 2, windowMs: 1_000 }));
      await call();
      clock.now += 300;
      await call();
      clock.now += 200;
      expect(await call()).toMatchObject({
        allowed: false,
        refusedBy: { used: 2, remaining: 0, retryAfterMs: 500 },
      });
      clock.now += 499;
      expect(await call()).toMatchObject({ allowed: false, refusedBy: { retryAfterMs: 1 } });
      clock.now += 1;
      expect(await call()).toMatchObject({ allowed: true, levels: [{ used: 2, remaining: 0 }] });
    });

    test('refused calls do not extend the wait', async () => {
      const { clock, call } = onClock(policyOf({ level: 'global', limit: 1, windowMs: 1_000 }));
      await call();
      for (let tries = 0; tries < 9; tries++) {
        clock.now += 100;
        expect((await call()).allowed).toBe(false);
      }
      clock.now += 100;
      expect((await call()).allowed).toBe(true);
    });

    test('a clock that steps back admits no additional call', async () => {
      const { clock, call } = onClock(policyOf({ level: 'global', limit: 2, windowMs: 1_000 }));
      await call();
      await call();
      clock.now -= 5_000;
      // The log's clock stays at its newest hit until the given clock has caught up.
      expect(await call()).toMatchObject({ allowed: false, refusedBy: { retryAfterMs: 6_000 } });
      clock.now += 5_999;
      expect((await call()).allowed).toBe(false);
      clock.now += 1;
      expect((await call()).allowed).toBe(true);
    });

    test('random arrivals, limits, windows, costs and clock steps are decided as by the definition', async () => {
      const arrivals = fc.array(fc.integer({ min: -40, max: 120 }), { minLength: 1, maxLength: 60 });
      const parameters = fc.record({
        limit: fc.integer({ min: 1, max: 8 }),
        windowMs: fc.integer({ min: 1, max: 200 }),
        cost: fc.integer({ min: 1, max: 3 }),
        arrivals,
      });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ limit, windowMs, cost, arrivals: steps }) => {
          const level: Level<unknown> = { level: 'global', limit, windowMs };
          const policy = { ...policyOf(level), cost: Math.min(cost, limit) };
          const { clock, call } = onClock(policy);
          const hits: number[] = [];
          let now = clock.now;
          for (const step of steps) {
            clock.now += step;
            // By the definition: whole milliseconds, never backwards from the newest hit.
            now = Math.max(clock.now, hits.at(-1) ?? 0);
            const inWindow = hits.filter((hit) => hit > now - windowMs);
            const fits = inWindow.length + policy.cost <= limit;
            const decision = await call();
            expect(decision.allowed).toBe(fits);
            if (fits) for (let unit = 0; unit < policy.cost; unit++) hits.push(now);
            else {
              const mustLeave = inWindow[inWindow.length + policy.cost - limit - 1] ?? Number.NaN;
              expect(decision).toMatchObject({
                refusedBy: { retryAfterMs: mustLeave + windowMs - clock.now },
              });
            }
          }
        }),
        propertyRuns(60, { short: Math.ceil(current.short / 5) }),
      );
    });
  });

  describe('several levels', () => {
    const userAndGlobal = policyOf(
      { level: 'user', limit: 2, windowMs: 1_000 },
      { level: 'global', limit: 3, windowMs: 1_000 },
    );

    test('one level refuses: no level is charged', async () => {
      const { limiter, call } = onClock(userAndGlobal);
      await call(['ada', '']);
      await call(['ada', '']);
      expect(await call(['ada', ''])).toMatchObject({ allowed: false, refusedBy: { level: 'user' } });
      const { windows } = await limiter.peek(userAndGlobal, { user: 'ada' });
      expect(windows).toMatchObject([
        { level: 'user', used: 2 },
        { level: 'global', used: 2 },
      ]);
    });

    test('two levels refuse: the first in checking order is named', async () => {
      const { call } = onClock(userAndGlobal);
      await call(['ada', '']);
      await call(['ada', '']);
      await call(['bob', '']);
      expect(await call(['ada', ''])).toMatchObject({ allowed: false, refusedBy: { level: 'user' } });
      expect(await call(['bob', ''])).toMatchObject({ allowed: false, refusedBy: { level: 'global' } });
    });

    test('levels may differ in algorithm: one of them refuses, none is charged', async () => {
      const mixed = policyOf(
        { level: 'user', limit: 2, windowMs: 1_000, algorithm: 'token-bucket' },
        { level: 'ip', limit: 9, windowMs: 60_000, algorithm: 'fixed-window' },
        { level: 'global', limit: 3, windowMs: 1_000 },
      );
      const { clock, limiter, call } = onClock(mixed);
      await call(['ada', '192.0.2.1', '']);
      await call(['ada', '192.0.2.1', '']);
      expect(await call(['ada', '192.0.2.1', ''])).toMatchObject({
        allowed: false,
        refusedBy: { level: 'user', algorithm: 'token-bucket', retryAfterMs: 500 },
      });
      await call(['bob', '192.0.2.1', '']);
      clock.now += 500;
      expect(await call(['ada', '192.0.2.1', ''])).toMatchObject({
        allowed: false,
        refusedBy: { level: 'global' },
      });
      const { windows } = await limiter.peek(mixed, subjectsInOrder(mixed, ['ada', '192.0.2.1']));
      expect(windows.map(({ used }) => used)).toEqual([1, 3, 3]);
    });

    test('a sixth call of one shopper does not change the global window', async () => {
      const seckill = policyOf(
        { level: 'user', limit: 5, windowMs: 10_000 },
        { level: 'global', limit: 100, windowMs: 10_000 },
      );
      const { limiter, call } = onClock(seckill);
      const decisions = await Promise.all(Array.from({ length: 6 }, () => call(['ada', ''])));
      expect(admittedOf(decisions)).toBe(5);
      const { windows } = await limiter.peek(seckill, { user: 'bob' });
      expect(windows.map(({ used }) => used)).toEqual([0, 5]);
    });
  });

  describe('request ids', () => {
    const policy = policyOf({ level: 'global', limit: 2, windowMs: 1_000 });

    test('a call repeated under its id is admitted again and charged once', async () => {
      const { call } = onClock(policy);
      expect(await call([''], 'id')).toMatchObject({ allowed: true, replayed: false, levels: [{ used: 1 }] });
      expect(await call([''], 'id')).toMatchObject({ allowed: true, replayed: true, levels: [{ used: 1 }] });
    });

    test('two copies of one call at the same time are charged once', async () => {
      const { limiter, call } = onClock(policy);
      await Promise.all([call([''], 'id'), call([''], 'id')]);
      expect((await limiter.peek(policy, {})).windows).toMatchObject([{ used: 1 }]);
    });

    test('a refused call leaves its id unused', async () => {
      const { clock, call } = onClock(policy);
      await call();
      await call();
      expect((await call([''], 'id')).allowed).toBe(false);
      clock.now += 1_000;
      expect(await call([''], 'id')).toMatchObject({ allowed: true, replayed: false });
    });
  });

  describe('peeking', () => {
    test('charges nothing and returns the newest 200 hits', async () => {
      const policy = policyOf({ level: 'global', limit: 300, windowMs: 10_000 });
      const { clock, limiter, call } = onClock(policy);
      for (let hit = 0; hit < 250; hit++) {
        clock.now += 1;
        await call();
      }
      const first = await limiter.peek(policy, {});
      const second = await limiter.peek(policy, {});
      expect(second).toEqual(first);
      expect(first.windows[0]).toMatchObject({ used: 250, remaining: 50, mode: 'enforce', policy: 'test' });
      expect(first.windows[0]?.hits).toHaveLength(200);
      expect(first.windows[0]?.hits.at(-1)).toBe(clock.now);
    });

    test('returns the time until the next unit fits in a full window', async () => {
      const policy = policyOf({ level: 'global', limit: 1, windowMs: 1_000 });
      const { clock, limiter, call } = onClock(policy);
      await call();
      clock.now += 400;
      const { windows } = await limiter.peek(policy, {});
      expect(windows).toMatchObject([{ used: 1, remaining: 0, retryAfterMs: 600 }]);
    });
  });
});

function policyOf(...levels: Level<unknown>[]): ResolvedPolicy<unknown> {
  return resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
}

function admittedOf(decisions: Decision[]): number {
  return decisions.filter(({ allowed }) => allowed).length;
}

describe('clearing a window', () => {
  const HOUR = 3_600_000;

  describeStores((current) => {
    function setUp(levels: Level<unknown>[]) {
      const options = {
        secret: 'a secret of at least 32 characters',
        prefix: freshPrefix(),
        timeoutMs: 2_000,
      };
      const limiter = createLimiter({ store: current.store, ...options });
      return { limiter, policy: policyOf(...levels) };
    }

    test.each<Algorithm>(['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket', 'leaky-bucket'])(
      '%s: a window that is cleared is empty, on this node at once',
      async (algorithm) => {
        const { limiter, policy } = setUp([{ level: 'user', algorithm, limit: 2, windowMs: HOUR }]);
        const call = async (user: string) => (await limiter.decide(policy, { subjects: { user } })).allowed;
        for (const user of ['ada', 'bob']) {
          expect([await call(user), await call(user), await call(user)]).toEqual([true, true, false]);
        }
        await limiter.clear(policy, { level: 'user', subject: 'ada' });
        const { windows } = await limiter.peek(policy, { user: 'ada' });
        expect(windows[0]).toMatchObject({ used: 0, remaining: 2 });
        expect([await call('ada'), await call('ada'), await call('ada')]).toEqual([true, true, false]);
        expect(await call('bob')).toBe(false);
      },
    );

    test('one of several levels is cleared, also by its pseudonym, and the others keep their hits', async () => {
      const { limiter, policy } = setUp([
        { level: 'user', limit: 1, windowMs: HOUR },
        { level: 'global', limit: 9, windowMs: HOUR },
      ]);
      const call = () => limiter.decide(policy, { subjects: { user: 'ada' } });
      await call();
      await limiter.clear(policy, { level: 'user', subject: limiter.pseudonymOf('ada') });
      expect(await call()).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 2 }] });
      await limiter.clear(policy, { level: 'global', subject: '' });
      await limiter.clear(policy, { level: 'user', subject: 'ada' });
      expect(await call()).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 1 }] });
    });

    test('a request id stays charged', async () => {
      const { limiter, policy } = setUp([{ level: 'user', limit: 1, windowMs: HOUR }]);
      const call = () => limiter.decide(policy, { subjects: { user: 'ada' }, requestId: 'first' });
      await call();
      await limiter.clear(policy, { level: 'user', subject: 'ada' });
      expect(await call()).toMatchObject({ allowed: true, replayed: true, levels: [{ used: 0 }] });
    });
  });
});

describe.each(stores)('the keys on $store', ({ storeUrl }) => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connectTestRedis(await storeUrl());
  });
  afterAll(() => redis.quit());

  test('two nodes on one store share the window, with their clocks five seconds apart', async () => {
    const prefix = freshPrefix();
    const other = await connectTestRedis(await storeUrl());
    const policy = policyOf({ level: 'global', limit: 100, windowMs: 3_000 });
    const nodeOn = (client: RedisClient) =>
      createLimiter({ store: ioredisStore(client), secret: 'a secret of at least 32 characters', prefix });
    const nodes = [nodeOn(redis), nodeOn(other)];
    let reads = 0;
    const wrongClocks = vi
      .spyOn(Date, 'now')
      .mockImplementation(() => performance.timeOrigin + (reads++ % 2) * 5_000);
    const calls = Array.from({ length: 300 }, (_, index) =>
      (nodes[index % 2] as Limiter).decide(policy, { subjects: {} }),
    );
    expect(admittedOf(await Promise.all(calls))).toBe(100);
    wrongClocks.mockRestore();
    await other.quit();
  });

  test('SCRIPT FLUSH and FUNCTION FLUSH cost no decision', async () => {
    const { call } = onClockOf(
      { store: ioredisStore(redis) },
      policyOf({ level: 'global', limit: 2, windowMs: 1_000 }),
    );
    await call();
    await flushScripts(redis);
    expect(await call()).toMatchObject({ allowed: true, levels: [{ used: 2 }] });
  });

  test('every key expires by itself', async () => {
    const prefix = freshPrefix();
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix,
    });
    const policy = policyOf(
      { level: 'user', limit: 2, windowMs: 1_000 },
      { level: 'global', limit: 5, windowMs: 9_000 },
    );
    await limiter.decide(policy, { subjects: { user: 'ada' }, requestId: 'one' });
    const keys = await redis.keys(`${prefix}*`);
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  test('a key with an invalid state is cleared', async () => {
    const prefix = freshPrefix();
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix,
    });
    const policy = policyOf({ level: 'global', limit: 1, windowMs: 3_600_000 });
    const call = () => limiter.decide(policy, { subjects: {} });
    await call();
    const [key] = await redis.keys(`${prefix}*`);
    await redis.del(String(key));
    await redis.lpush(String(key), 'a list');
    await limiter.clear(policy, { level: 'global', subject: '' });
    expect((await call()).allowed).toBe(true);
  });
});

describe('a rolling release', () => {
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
      const limiter = createLimiter({
        store: ioredisStore(redis),
        secret: 'a secret of at least 32 characters',
        prefix,
        clock: () => START,
      });
      const subjects = sameSubject({ levels }, 'ada');
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
});
