import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someArrivals, someNumbers, someStart, toCalls } from '../../../test/limiter-arrivals';
import { type Call, createTestLevel, TODAY } from '../../../test/limiter-level';
import { createOracle, type Verdict } from '../../../test/limiter-oracle';
import { COMPARED_FACTOR, limiterStores, type OpenStore } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import type { Algorithm } from '../policy/policy';
import type { Store } from '../stores/store';

/** The bound on admitted calls in any window, as a multiple of the limit. */
const bounds = {
  'sliding-log': 1,
  'sliding-counter': 1,
  'fixed-window': 2,
  'token-bucket': 2,
  'leaky-bucket': 2,
} satisfies Record<Algorithm, number>;
const algorithms = Object.keys(bounds) as Algorithm[];

describe.each(limiterStores)('on $name', ({ open, cases, short }) => {
  let opened: OpenStore;
  let store: Store;
  beforeAll(async () => {
    opened = await open();
    ({ store } = opened);
  });
  afterAll(() => opened.close());
  const levelOf = (algorithm: Algorithm, key?: string) => createTestLevel(store, algorithm, key);

  describe.each(algorithms)('%s', (algorithm) => {
    test('random arrivals, limits, windows, costs and clock steps are decided as by the definition', async () => {
      const parameters = fc.record({ start: someStart, numbers: someNumbers, arrivals: someArrivals });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ start, numbers, arrivals }) => {
          const calls = toCalls(
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
          const [first] = await level.send(most);
          let later = clock;
          if (first && !first.allowed) {
            later = clock + first.retryAfterMs;
            const early = { ...most, clock: later - 1 };
            expect(await level.send(early, { ...most, clock: later })).toMatchObject([
              { allowed: false, retryAfterMs: 1 },
              { allowed: true },
            ]);
          }

          // Exactly the remaining units can be spent.
          later += Math.round(numbers.windowMs / 2);
          const [peeked] = await level.send({ clock: later, cost: 0, numbers });
          const remaining = numbers.limit - (peeked?.used ?? 0);
          const [all, one] = await level.send(
            { clock: later, cost: remaining, numbers },
            { clock: later, cost: 1, numbers },
          );
          expect(all).toMatchObject({ allowed: true, used: numbers.limit });
          expect(one?.allowed).toBe(false);
        }),
        propertyRuns(cases * COMPARED_FACTOR, { short }),
      );
    }, 3_600_000);

    test('with a limit that changes often, no window exceeds the bound of the largest limit', async () => {
      const limits = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 30, maxLength: 30 });
      const parameters = fc.record({
        start: someStart,
        numbers: someNumbers,
        arrivals: someArrivals,
        limits,
      });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ start, numbers, arrivals, limits }) => {
          const calls = toCalls(
            start,
            arrivals.map((arrival, index) => ({
              ...arrival,
              numbers: { ...numbers, limit: limits[index] ?? numbers.limit },
            })),
          );
          expectBound(algorithm, calls, await levelOf(algorithm).send(...calls));
        }),
        propertyRuns(cases / 4, { short }),
      );
    }, 60_000);

    test('with limit and window that change often, each series of calls keeps its own bound', async () => {
      const stretch = fc.record({ numbers: someNumbers, arrivals: someArrivals });
      const parameters = fc.record({ start: someStart, stretches: fc.array(stretch, { maxLength: 4 }) });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ start, stretches }) => {
          const level = levelOf(algorithm);
          let from = start;
          for (const { numbers, arrivals } of stretches) {
            const calls = toCalls(
              from,
              arrivals.map((arrival) => ({ ...arrival, numbers })),
            );
            expectBound(algorithm, calls, await level.send(...calls));
            from = calls.at(-1)?.clock ?? from;
          }
        }),
        propertyRuns(cases / 4, { short }),
      );
    }, 60_000);

    test('no call waits longer than two windows after any change of limit or window', async () => {
      const parameters = fc.record({ before: someNumbers, after: someNumbers });
      await fc.assert(
        fc.asyncProperty(parameters, async ({ before, after }) => {
          const [, found] = await levelOf(algorithm).send(
            { clock: TODAY, cost: before.limit, numbers: before },
            { clock: TODAY, cost: 0, numbers: after },
          );
          expect(found?.retryAfterMs).toBeLessThan(2 * after.windowMs + 1);
        }),
        propertyRuns(cases / 4, { short }),
      );
    });
  });
});

/** Counts what was admitted in each window of the calls, and for a queue what started. */
function expectBound(algorithm: Algorithm, calls: Call[], verdicts: Verdict[]) {
  const limit = Math.max(...calls.map(({ numbers }) => numbers.limit));
  const costliest = Math.max(...calls.map(({ cost }) => cost), 1);
  const windowMs = calls[0]?.numbers.windowMs ?? 1;
  const admitted = verdicts.flatMap(({ allowed, now, delayMs }, index) => {
    const { clock = now, cost = 0 } = calls[index] ?? {};
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
