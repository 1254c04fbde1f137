import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TODAY } from '../../test/limiter-level';
import { createLimiterOracle } from '../../test/limiter-oracle';
import { limiterStores, type OpenStore } from '../../test/limiter-stores';
import { propertyRuns } from '../../test/property';
import { freshPrefix } from '../../test/redis';
import { createLimiter } from './limiter';
import { type Algorithm, type ResolvedPolicy, resolvePolicy } from './policy';
import type { Reservation } from './settle';

function policyOf(
  algorithm: Algorithm,
  { limit, windowMs, maxCost }: { limit: number; windowMs: number; maxCost: number },
): ResolvedPolicy<unknown> {
  return resolvePolicy(
    {
      name: algorithm,
      levels: [{ level: 'user', algorithm, limit, windowMs }],
      cost: () => maxCost,
      maxCost,
      settle: (outcome) => (outcome.ok ? Number(outcome.data) : 0),
      message: { en: 'Too many.' },
    },
    '',
  );
}

const someCall = fc.record({
  wait: fc.constantFrom(0, 0, 1, 5, 40),
  runsMs: fc.integer({ min: 0, max: 300 }),
  cost: fc.integer({ min: 1, max: 10 }),
  kept: fc.nat(10),
  /** The node dies before the end of the call. */
  isKilled: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
});

describe.each(limiterStores)('on $name', ({ open, short }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  const createNode = (clock: () => number, prefix = freshPrefix()) =>
    createLimiter({ store: opened.store, secret: 'test', prefix, timeoutMs: 5_000, clock });

  test.each<Algorithm>(['sliding-log', 'sliding-counter'])(
    '%s: of 1,000 calls of random cost, a fifth on killed nodes, kept and reserved units are at most the limit in every window',
    async (algorithm) => {
      const numbers = { limit: 50, windowMs: 1_000, maxCost: 10 };
      const policy = policyOf(algorithm, numbers);
      const calls = fc.array(someCall, { minLength: 1_000, maxLength: 1_000, size: 'max' });
      await fc.assert(
        fc.asyncProperty(calls, async (steps) => {
          let clock = TODAY;
          const prefix = freshPrefix();
          const nodes = Array.from({ length: 4 }, () => createNode(() => clock, prefix));
          const counted: { at: number; units: number; endsAt: number; kept: number; held: Reservation }[] =
            [];
          const settleUntil = async (until: number) => {
            const due = counted.filter(({ endsAt }) => endsAt <= until).sort((a, b) => a.endsAt - b.endsAt);
            for (const call of due) {
              clock = Math.max(clock, call.endsAt);
              expect(await nodes[call.units % 4]?.settle(call.held, { ok: true, data: call.kept })).toBe(
                true,
              );
              Object.assign(call, { units: call.kept, endsAt: Number.POSITIVE_INFINITY });
            }
          };
          for (const [index, { wait, runsMs, cost, kept, isKilled }] of steps.entries()) {
            const startedAt = clock;
            await settleUntil(startedAt + wait);
            clock = Math.max(clock, startedAt + wait);
            const decision = await nodes[index % 4]?.decide(policy, { subjects: { user: 'ada' }, cost });
            if (!decision?.allowed || !decision.reservation) continue;
            const endsAt = isKilled ? Number.POSITIVE_INFINITY : clock + runsMs;
            counted.push({
              at: clock,
              units: cost,
              endsAt,
              kept: Math.min(cost, kept),
              held: decision.reservation,
            });
            const inWindow = counted.filter(({ at }) => at > clock - numbers.windowMs);
            expect(inWindow.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(numbers.limit);
          }
          expect(counted.length).toBeGreaterThan(100);
        }),
        propertyRuns(100, { short: 1 }),
      );
    },
    3_600_000,
  );

  test('a log of any length returns units as by the definition', async () => {
    const numbers = { limit: 400, windowMs: 500, maxCost: 60 };
    const policy = policyOf('sliding-log', numbers);
    const step = fc.record({
      wait: fc.constantFrom(0, 1, 5, 30, 200),
      cost: fc.integer({ min: 1, max: 60 }),
      settles: fc.option(fc.record({ ago: fc.nat(12), kept: fc.nat(60) })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 80, size: 'max' }), async (steps) => {
        let clock = TODAY;
        const limiter = createNode(() => clock);
        const oracle = createLimiterOracle();
        const levels = [
          { window: 'log', algorithm: 'sliding-log' as const, numbers: { ...numbers, subWindows: 1 } },
        ];
        const held: { id: string; cost: number; reservation: Reservation }[] = [];
        for (const [index, { wait, cost, settles }] of steps.entries()) {
          clock += wait;
          const call = settles && held.at(-1 - settles.ago);
          if (call) {
            const kept = Math.min(settles.kept, call.cost);
            const isSettled = await limiter.settle(call.reservation, { ok: true, data: kept });
            expect(isSettled).toBe(oracle.settle({ id: call.id, clock, kept }));
          }
          const id = `${index}`;
          const expected = oracle.decide({ clock, cost, levels, id, settleMs: 60_000 });
          const decision = await limiter.decide(policy, { subjects: { user: 'ada' }, cost });
          const { used, retryAfterMs, resetMs } = decision.levels[0] ?? {};
          expect(decision.allowed).toBe(expected.allowed);
          expect(expected.levels[0]).toMatchObject({ used, retryAfterMs, resetMs });
          if (decision.allowed && decision.reservation)
            held.push({ id, cost, reservation: decision.reservation });
        }
      }),
      // A case takes 10 to 20 ms, and settlings of a log are also in the 300 cases of each combination that settles.
      propertyRuns(1_000, { short: Math.ceil(short / 5) }),
    );
  }, 3_600_000);
});
