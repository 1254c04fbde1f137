import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someStart } from '../../../test/limiter-arrivals';
import { type Call, createTestLevel, TODAY } from '../../../test/limiter-level';
import { createOracle, type LevelNumbers } from '../../../test/limiter-oracle';
import { COMPARED_FACTOR, limiterStores, type OpenStore } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import type { Store } from '../stores/store';

/** The algorithms whose units have an instant; a bucket converts its units when its numbers change. */
const algorithms = ['sliding-log', 'sliding-counter', 'fixed-window'] as const;

/** Two or three windows; the longer ones are multiples of the shortest, up to a year. */
const someWindows = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 100_000 })),
    fc.array(fc.constantFrom(1.5, 2, 7, 10, 1_000, 86_400, 31_536_000), { minLength: 1, maxLength: 2 }),
  )
  .map(([shortest, factors]) => [
    shortest,
    ...factors.map((factor) => Math.min(Math.ceil(shortest * factor), YEAR_MS)),
  ]);
const YEAR_MS = 31_536_000_000;
const someLimit = fc.integer({ min: 1, max: 12 });
const someSubWindows = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 100 }));

/** To the next call: some milliseconds and a part of the shortest window; seldom backwards, or a part of the present one. */
const someStep = fc.record({
  ms: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(0, 1, 2, 40) },
    { weight: 1, arbitrary: fc.integer({ min: -60, max: 0 }) },
  ),
  part: fc.constantFrom(0, 0, 0, 0.1, 0.3, 0.6, 1, 1.1),
  ofShortest: seldom(false, true),
});

/** Calls on a level whose window changes from A to B to A, or by way of a third one, and seldom its limit. */
function someCalls({
  limit,
  calls,
  cost,
}: {
  limit: fc.Arbitrary<number>;
  calls: number;
  cost: fc.Arbitrary<number>;
}) {
  const stretch = fc.record({
    window: fc.nat(2),
    limit: seldom(limit, undefined),
    calls: fc.array(fc.record({ step: someStep, cost }), { minLength: 1, maxLength: calls, size: 'max' }),
  });
  const parameters = fc.record({
    start: someStart,
    limit,
    subWindows: someSubWindows,
    windows: someWindows,
    stretches: fc.array(stretch, { minLength: 3, maxLength: 30, size: 'max' }),
  });
  return parameters.map(({ start, limit: first, subWindows, windows, stretches }) => {
    const [shortest = 1] = windows;
    let clock = start;
    return stretches.flatMap((one) => {
      const windowMs = windows[one.window % windows.length] ?? shortest;
      const numbers: LevelNumbers = { limit: one.limit ?? first, windowMs, subWindows };
      return one.calls.map(({ step, cost: units }): Call => {
        clock += step.ms + Math.round(step.part * (step.ofShortest ? shortest : windowMs));
        return { clock, cost: Math.min(units, numbers.limit), numbers };
      });
    });
  });
}

/** One value in ten times, else the other. */
function seldom<Seldom, Often>(value: Seldom | fc.Arbitrary<Seldom>, often: Often) {
  const rare = value instanceof fc.Arbitrary ? value : fc.constant(value);
  return fc.oneof({ weight: 1, arbitrary: rare }, { weight: 9, arbitrary: fc.constant(often) });
}

describe.each(limiterStores)('on $name', ({ open, cases, short }) => {
  let opened: OpenStore;
  let store: Store;
  beforeAll(async () => {
    opened = await open();
    ({ store } = opened);
  });
  afterAll(() => opened.close());

  test.each(algorithms)(
    '%s: windows that change are decided as by the definition',
    async (algorithm) => {
      const calls = someCalls({ limit: someLimit, calls: 4, cost: fc.constantFrom(0, 1, 1, 1, 2) });
      await fc.assert(
        fc.asyncProperty(calls, async (all) => {
          const oracle = createOracle(algorithm);
          const expected = all.map(({ clock, cost, numbers }) => oracle(clock, cost, numbers));
          expect(await createTestLevel(store, algorithm).send(...all)).toEqual(expected);
        }),
        propertyRuns(cases * COMPARED_FACTOR, { short }),
      );
    },
    3_600_000,
  );

  test('a sliding log of up to 50,000 hits with a changing window decides by the definition', async () => {
    const limit = fc.oneof(fc.integer({ min: 100, max: 2_000 }), fc.integer({ min: 2_000, max: 50_000 }));
    const calls = someCalls({ limit, calls: 40, cost: fc.integer({ min: 0, max: 2_000 }) });
    await fc.assert(
      fc.asyncProperty(calls, async (all) => {
        const oracle = createOracle('sliding-log');
        const expected = all.map(({ clock, cost, numbers }) => oracle(clock, cost, numbers));
        expect(await createTestLevel(store, 'sliding-log').send(...all)).toEqual(expected);
      }),
      propertyRuns(Math.ceil(cases / 10), { short: Math.ceil(short / 40) }),
    );
  }, 600_000);

  test('a sliding counter with a window that was long and is short again keeps no unit of the long window', async () => {
    const start = TODAY - (TODAY % 86_400_000);
    const call = (at: number, windowMs: number, cost = 1): Call => ({
      clock: start + at,
      cost,
      numbers: { limit: 4, windowMs, subWindows: 2 },
    });
    const verdicts = await createTestLevel(store, 'sliding-counter').send(
      call(0, 10_000),
      call(1, 86_400_000),
      call(2, 1_000),
      call(600, 1_000),
      call(1_498, 1_000, 0),
      call(1_499, 1_000, 0),
      call(1_998, 1_000, 0),
      call(1_999, 1_000, 0),
    );
    // The units of 0, 1 and 2 are in the sub-window that ends at 499, that of 600 is in the one that ends at 999.
    expect(verdicts.map(({ used }) => used)).toEqual([1, 2, 3, 4, 4, 1, 1, 0]);
    expect(verdicts[4]).toMatchObject({ resetMs: 1, retryAfterMs: 1 });
  });
});
