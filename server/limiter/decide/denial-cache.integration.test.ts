import { describe, expect, onTestFinished, test } from 'vitest';
import { subjectsInOrder } from '../../../test/call-subjects';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { createLimiter } from '../limiter';
import type { Level } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import type { ScriptHost } from '../stores/lua-scripts';
import type { Decision } from './decision';

describe('cached denials', () => {
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
      store: ioredisStore(counting),
      secret: 'a secret of at least 32 characters',
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
  const globalCall = { subjects: {} };

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
    const [ada, bob] = [{ subjects: { user: 'ada' } }, { subjects: { user: 'bob' } }];
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
    await limiter.decide(policy, { subjects: { user: 'ada' } });
    expect((await limiter.decide(policy, { subjects: { user: 'ada' } })).allowed).toBe(false);
    expect((await limiter.decide(policy, { subjects: { user: 'bob' } })).allowed).toBe(true);
  });

  test('a refusal by two cached denials names the first level in checking order', async () => {
    const { limiter, sent } = await nodeOf();
    const policy = policyOf(
      { level: 'user', limit: 1, windowMs: 1_000 },
      { level: 'global', limit: 2, windowMs: 1_000 },
    );
    await limiter.decide(policy, { subjects: { user: 'ada' } });
    await limiter.decide(policy, { subjects: { user: 'bob' } });
    const before = sent();
    expect(await limiter.decide(policy, { subjects: { user: 'ada' } })).toMatchObject({
      refusedBy: { level: 'user' },
    });
    expect(await limiter.decide(policy, { subjects: { user: 'eve' } })).toMatchObject({
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
    const call = () => limiter.decide(policy, { subjects: { user: 'ada' } });
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

  test('a ban that ends before its window is not cached beyond its end', async () => {
    const { clock, limiter } = await nodeOf();
    const punishment = { warnAt: 1, banAt: 1, banMs: 400 };
    const policy = policyOf({ level: 'user', limit: 1, windowMs: 10_000, punishment });
    const call = () => limiter.decide(policy, { subjects: { user: 'ada' } });
    await call();
    expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { retryAfterMs: 10_000 } });
    clock.now += 400;
    // The window is still full, so this is a violation, which bans again.
    const bannedUntil = clock.now + 400;
    expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { punished: { bannedUntil } } });
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
      await limiter.decide(policy, { subjects: { user: `caller ${caller}` } });
    }
    clock.now += 1_000;
    const crowd = Array.from({ length: 100 }, () => limiter.decide(policy, { subjects: { user: 'ada' } }));
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
});

describe('the trust in a denial', () => {
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
      ...{
        store: ioredisStore(redis),
        secret: 'a secret of at least 32 characters',
        prefix,
        clock: () => clock.now,
      },
      // Thousands of calls of one tick are sent here.
      timeoutMs,
    });
    const call = (...subjects: string[]) =>
      limiter.decide(policy, { subjects: subjectsInOrder(policy, subjects) });
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
    const subjects = Array.from({ length: 10_000 }, (_one, index) => `10.0.${index >> 8}.${index & 255}`);
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
    expect(limiter.cachedRefusal(policy, { subjects: {} })).toBeUndefined();
    expect((await call('')).allowed).toBe(false);
    expect(sent()).toBe(before + 1);
    expect(limiter.cachedRefusal(policy, { subjects: {} })).toBeDefined();
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
    expect(limiter.cachedRefusal(policy, { subjects: {} }), 'until the next probe').toBeDefined();
  });

  test.each([
    [250, 1_000],
    [5_000, 5_000],
  ])('with a timeout of %i ms, a failed probe is repeated after %i ms', async (timeoutMs, probeMs) => {
    const service = await startRedis();
    onTestFinished(() => service.stop());
    const levels = [{ level: 'global' as const, limit: 1, windowMs: HOUR }];
    const { clock, call, limiter, policy } = await nodeOf({ url: service.url, timeoutMs, levels });
    await call('');
    await service.kill();
    clock.now += 10_000;
    await call('');
    clock.now += probeMs - 1;
    expect(limiter.cachedRefusal(policy, { subjects: {} })).toBeDefined();
    clock.now += 1;
    expect(limiter.cachedRefusal(policy, { subjects: {} }), 'a probe is due').toBeUndefined();
  });
});
