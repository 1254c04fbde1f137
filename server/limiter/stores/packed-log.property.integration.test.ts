import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someStart, someStep } from '../../../test/limiter-arrivals';
import {
  type Call,
  createLimiterStore,
  createTestLevel,
  TODAY,
  toVerdict,
} from '../../../test/limiter-level';
import { createOracle, type LevelNumbers } from '../../../test/limiter-oracle';
import { COMPARED_FACTOR, decideStores } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { testArgs, testKeys, testLevel } from '../../../test/store-commands';
import type { RedisClient } from '../../redis/client';
import type { Store } from './store';

const MAX_HITS = 20;

describe.each(decideStores)('packed logs on $store by $define.name', ({ define, storeUrl, cases, short }) => {
  let redis: RedisClient;
  let store: Store;
  beforeAll(async () => {
    redis = await connectTestRedis(await storeUrl());
    store = createLimiterStore(redis, define);
  });
  afterAll(() => redis.quit());
  const createLog = (key?: string) => createTestLevel(store, 'sliding-log', key);

  /** Sends the calls, and expects the verdicts and the newest hits of the definition. */
  async function expectDefined(calls: Call[]) {
    const log = createLog();
    const oracle = createOracle('sliding-log');
    const admitted: number[] = [];
    const expected = calls.map(({ clock, cost, numbers }) => {
      const verdict = oracle(clock, cost, numbers);
      if (verdict.allowed) for (let unit = 0; unit < cost; unit += 1) admitted.push(verdict.now);
      const shown = Math.min(MAX_HITS, verdict.used);
      return { verdict, hits: shown === 0 ? [] : admitted.slice(-shown) };
    });
    const replies = await log.raw(calls, MAX_HITS);
    expect(replies.map((reply) => ({ verdict: toVerdict(reply), hits: reply.levels[0]?.hits }))).toEqual(
      expected,
    );
    return log.key;
  }

  test('the packed log decides random arrivals by the definition, with changing limits and windows', async () => {
    const arrival = fc.record({
      step: someStep,
      cost: fc.integer({ min: 0, max: 40 }),
      units: fc.boolean(),
      numbers: fc.record({
        limit: fc.integer({ min: 40, max: 400 }),
        windowMs: fc.integer({ min: 1, max: 800 }),
        subWindows: fc.constant(10),
      }),
      changes: fc.integer({ min: 0, max: 9 }),
    });
    const arrivals = fc.array(arrival, { minLength: 1, maxLength: 150, size: 'max' });
    await fc.assert(
      fc.asyncProperty(someStart, arrivals, async (start, steps) => {
        let clock = start;
        let numbers: LevelNumbers = { limit: 300, windowMs: 500, subWindows: 10 };
        const calls = steps.map(({ step, cost, units, numbers: changed, changes }) => {
          clock += step.windows === 0 ? step.ms : Math.round(step.windows * 100);
          if (changes === 0) numbers = changed;
          return { clock, cost: units ? 1 : cost, numbers };
        });
        await expectDefined(calls);
      }),
      propertyRuns(cases * COMPARED_FACTOR, { short }),
    );
  }, 3_600_000);

  test('a ring that grows, wraps around, shrinks and becomes packed again loses no hit', async () => {
    const numbers = { limit: 900, windowMs: 1_000, subWindows: 10 };
    const call = (at: number, cost = 1) => ({ clock: TODAY + at, cost, numbers });
    const steady = Array.from({ length: 3_000 }, (_, index) => call(index));
    const slower = Array.from({ length: 600 }, (_, index) => call(3_000 + index * 5));
    const bursts = Array.from({ length: 40 }, (_, index) => call(6_000 + index * 90, 75));
    const slowest = Array.from({ length: 200 }, (_, index) => call(10_000 + index * 20));
    const key = await expectDefined([...steady, ...slower, ...bursts, ...slowest]);
    expect(await redis.strlen(key)).toBe(50 * 6);
  });

  test('the expiry of a ring is extended before half of its slack is used', async () => {
    const numbers = { limit: 500, windowMs: 90_000, subWindows: 10 };
    const level = createLog();
    await level.send({ clock: TODAY, cost: 200, numbers });
    await redis.pexpire(level.key, 100_000);
    await level.send({ clock: TODAY + 30_000, cost: 1, numbers });
    expect(await redis.pttl(level.key)).toBeLessThanOrEqual(100_000);
    await level.send({ clock: TODAY + 30_001, cost: 1, numbers });
    expect(await redis.pttl(level.key)).toBeGreaterThan(120_000);
    // A window that was lengthened counts at once.
    await level.send({ clock: TODAY + 30_002, cost: 1, numbers: { ...numbers, windowMs: 900_000 } });
    expect(await redis.pttl(level.key)).toBeGreaterThan(900_000);
  });

  test('the expiry of a packed log is extended before half of its slack is used', async () => {
    const numbers = { limit: 500, windowMs: 90_000, subWindows: 10 };
    const level = createLog();
    const sendAt = (at: number, windowMs = 90_000, cost = 1) =>
      level.send({ clock: TODAY + at, cost, numbers: { ...numbers, windowMs } });
    const ttlMs = () => redis.pttl(level.key);
    await sendAt(0);
    await sendAt(30_001);
    expect(await ttlMs()).toBeGreaterThan(120_000);
    await sendAt(30_002, 900_000);
    expect(await ttlMs(), 'a window that was lengthened counts at once').toBeGreaterThan(900_000);

    // A ring sets its own expiry, here a shorter one.
    await sendAt(30_003, 90_000, 200);
    await sendAt(120_004, 90_000);
    expect(await redis.strlen(level.key)).toBe(6);
    await sendAt(120_005, 900_000);
    expect(await ttlMs()).toBeGreaterThan(900_000);

    await redis.del(level.key);
    await sendAt(120_006);
    expect(await ttlMs(), 'of a key that was deleted').toBeGreaterThan(90_000);
  });

  test('by the clock of the store, the expiry of a packed log is set once in half a minute', async () => {
    const numbers = { limit: 5, windowMs: 30_000, subWindows: 10 };
    const halfMinute = async () => Math.floor(Number((await redis.time())[0]) / 30);
    const expiries = async () => {
      const { key, send } = createLog();
      await send({ cost: 1, numbers });
      const first = await redis.pttl(key);
      await redis.pexpire(key, 65_000);
      await send({ cost: 1, numbers });
      const second = await redis.pttl(key);
      await send({ cost: 1, numbers: { ...numbers, windowMs: 30_001 } });
      const ofLongWindow = await redis.pttl(key);
      return { key, first, second, ofLongWindow };
    };
    let before: number;
    let found: Awaited<ReturnType<typeof expiries>>;
    do {
      before = await halfMinute();
      found = await expiries();
    } while (before !== (await halfMinute()));
    expect(found.first).toBeGreaterThan(89_000);
    expect(found.second).toBeLessThanOrEqual(65_000);
    expect(found.ofLongWindow).toBeGreaterThan(89_000);

    const { key, send } = createLog(found.key);
    const lastHalfMinute = Buffer.alloc(6);
    lastHalfMinute.writeUIntBE(before * 30_000 - 1, 0, 6);
    await redis.set(key, lastHalfMinute, 'PX', 65_000);
    await send({ cost: 1, numbers });
    expect(await redis.pttl(key), 'after a hit of an earlier half minute').toBeGreaterThan(89_000);
  });

  test('with more keys than the function remembers, each has an expiry', async () => {
    const level = createLog();
    const numbers = { limit: 5, windowMs: 1_000, subWindows: 10 };
    await level.send({ clock: TODAY, cost: 1, numbers });
    const policyArgs = testArgs([testLevel('sliding-log', numbers)]);
    for (let from = 0; from < 17_000; from += 100) {
      const batch = Array.from({ length: 100 }, (_, index) => {
        const key = `${level.key}:${from + index}`;
        return { command: { policyArgs, keys: testKeys(key, () => key), cost: 1 }, clock: TODAY };
      });
      await store.decide(batch);
    }
    await level.send({ clock: TODAY + 1, cost: 1, numbers });
    for (const key of [level.key, `${level.key}:0`, `${level.key}:16999`])
      expect(await redis.pttl(key)).toBeGreaterThan(1_000);
  });

  test.each([
    { units: 3, bytes: 150 },
    { units: 100, bytes: 900 },
    { units: 1_000, bytes: 8_000 },
  ])('$units units take at most $bytes B, key included, whatever the limit', async ({ units, bytes }) => {
    const key = () => freshPrefix().padEnd(60, '.');
    for (const limit of [units, 1_000_000]) {
      const numbers = { limit, windowMs: 60_000, subWindows: 10 };
      const grown = createLog(key());
      await grown.send(
        ...Array.from({ length: units }, (_, index) => ({ clock: TODAY + index, cost: 1, numbers })),
      );
      const shrunk = createLog(key());
      const raised = { ...numbers, limit: 9_000 };
      await shrunk.send(
        { clock: TODAY, cost: 8_000, numbers: raised },
        { clock: TODAY + 60_000, cost: units, numbers },
      );
      for (const level of [grown, shrunk]) {
        expect((await level.send({ clock: TODAY + 60_000, cost: 0, numbers }))[0]?.used).toBe(
          level === grown ? units - 1 : units,
        );
        expect(await redis.memory('USAGE', level.key)).toBeLessThanOrEqual(bytes);
      }
    }
  });
});
