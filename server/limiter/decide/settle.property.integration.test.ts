import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TODAY } from '../../../test/limiter-level';
import { createLimiterOracle } from '../../../test/limiter-oracle';
import { limiterStores, type OpenStore } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { createLimiter } from '../limiter';
import type { Algorithm, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
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
  /** Some keep more than they reserved. */
  kept: fc.oneof({ weight: 4, arbitrary: fc.nat(10) }, { weight: 1, arbitrary: fc.nat(70) }),
  isCleared: fc.integer({ min: 0, max: 99 }).map((one) => one === 0),
  /** The node dies before the end of the call. */
  isKilled: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
});

const seldom = fc.integer({ min: 0, max: 19 }).map((one) => one === 0);
const someStep = fc.record({
  wait: fc.constantFrom(0, 1, 5, 30, 200),
  node: fc.nat(1),
  cost: fc.integer({ min: 1, max: 60 }),
  settles: fc.option(
    fc.record({ ago: fc.nat(12), kept: fc.nat(60), overrun: fc.constantFrom(0, 0, 9, 999) }),
    { nil: undefined },
  ),
  isCleared: seldom,
  changed: fc.option(
    fc.record({ limit: fc.integer({ min: 60, max: 400 }), windowMs: fc.integer({ min: 50, max: 500 }) }),
    { freq: 3, nil: undefined },
  ),
});

/** An admitted call, until its settling at `endsAt`. */
interface Counted {
  at: number;
  units: number;
  endsAt: number;
  kept: number;
  held: Reservation;
}

describe.each(limiterStores)('on $name', ({ open, short }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  const createNode = (clock: () => number, prefix = freshPrefix()) =>
    createLimiter({
      store: opened.store,
      secret: 'a secret of at least 32 characters',
      prefix,
      timeoutMs: 5_000,
      clock,
    });

  test.each<Algorithm>(['sliding-log', 'sliding-counter'])(
    '%s: of 1,000 calls of random cost, a fifth on killed nodes, reserved and kept units without overruns are at most the limit in every window',
    async (algorithm) => {
      const numbers = { limit: 50, windowMs: 1_000, maxCost: 10 };
      const policy = policyOf(algorithm, numbers);
      const calls = fc.array(someCall, { minLength: 1_000, maxLength: 1_000, size: 'max' });
      await fc.assert(
        fc.asyncProperty(calls, async (steps) => {
          let clock = TODAY;
          const prefix = freshPrefix();
          const nodes = Array.from({ length: 4 }, () => createNode(() => clock, prefix));
          let counted: Counted[] = [];
          /** Calls that were charged before a clear. */
          let cleared: Counted[] = [];
          let admitted = 0;
          const settleUntil = async (until: number) => {
            const due = [...counted, ...cleared].filter(({ endsAt }) => endsAt <= until);
            for (const call of due.sort((a, b) => a.endsAt - b.endsAt)) {
              clock = Math.max(clock, call.endsAt);
              const isSettled = await nodes[call.units % 4]?.settle(call.held, { ok: true, data: call.kept });
              expect(isSettled).toBe(counted.includes(call));
              const units = Math.min(call.units, call.kept);
              Object.assign(call, { units, endsAt: Number.POSITIVE_INFINITY });
            }
          };
          for (const [index, { wait, runsMs, cost, kept, isKilled, isCleared }] of steps.entries()) {
            const startedAt = clock;
            await settleUntil(startedAt + wait);
            clock = Math.max(clock, startedAt + wait);
            if (isCleared) {
              await nodes[(index + 1) % 4]?.clear(policy, { level: 'user', subject: 'ada' });
              [counted, cleared] = [[], [...cleared, ...counted]];
            }
            const decision = await nodes[index % 4]?.decide(policy, { subjects: { user: 'ada' }, cost });
            if (!decision?.allowed || !decision.reservation) continue;
            const endsAt = isKilled ? Number.POSITIVE_INFINITY : clock + runsMs;
            admitted += 1;
            counted.push({ at: clock, units: cost, endsAt, kept, held: decision.reservation });
            const inWindow = counted.filter(({ at }) => at > clock - numbers.windowMs);
            expect(inWindow.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(numbers.limit);
          }
          expect(admitted).toBeGreaterThan(100);
        }),
        propertyRuns(100, { short: 1 }),
      );
    },
    3_600_000,
  );

  // A log has more hits than its packed form holds.
  test.each<Algorithm>(['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket'])(
    '%s: two nodes settle as by the definition, also more than reserved, after clears and with limits that only one has changed',
    async (algorithm) => {
      const numbers = { limit: 400, windowMs: 500, maxCost: 60 };
      const policy = policyOf(algorithm, numbers);
      await fc.assert(
        fc.asyncProperty(fc.array(someStep, { minLength: 1, maxLength: 80, size: 'max' }), async (steps) => {
          let clock = TODAY;
          const prefix = freshPrefix();
          const nodes = [0, 1].map(() => ({
            limiter: createNode(() => clock, prefix),
            present: { ...numbers, subWindows: 10 },
          }));
          const oracle = createLimiterOracle();
          const held: { id: string; cost: number; reservation: Reservation }[] = [];
          for (const [index, { wait, node: at, cost, settles, isCleared, changed }] of steps.entries()) {
            clock += wait;
            const node = nodes[at];
            if (!node) throw new RangeError('no such node');
            const { limiter } = node;
            if (isCleared) {
              await limiter.clear(policy, { level: 'user', subject: 'ada' });
              oracle.clear('user');
            }
            if (changed) {
              node.present = { ...node.present, ...changed };
              limiter.setOverrides([{ policy: policy.name, level: 'user', ...changed, version: index }]);
            }
            const call = settles && held.at(-1 - settles.ago);
            if (call) {
              const { kept, overrun } = settles;
              const units = overrun > 0 ? call.cost + overrun : Math.min(kept, call.cost);
              const isSettled = await limiter.settle(call.reservation, units);
              const settling = { id: call.id, clock, kept: units, numbers: [node.present] };
              expect(isSettled).toBe(oracle.settle(settling));
            }
            const id = `${index}`;
            const levels = [{ window: 'user', algorithm, numbers: node.present }];
            const expected = oracle.decide({ clock, cost, levels, id, settleMs: 60_000 });
            const decision = await limiter.decide(policy, { subjects: { user: 'ada' }, cost });
            const { used, retryAfterMs, resetMs } = decision.levels[0] ?? {};
            expect(decision.allowed).toBe(expected.allowed);
            expect(expected.levels[0]).toMatchObject({ used, retryAfterMs, resetMs });
            if (decision.allowed && decision.reservation)
              held.push({ id, cost, reservation: decision.reservation });
          }
        }),
        // A case takes 10 to 40 ms, and settlings are also in the cases of each combination that settles.
        propertyRuns(1_000, { short: Math.ceil(short / 15) }),
      );
    },
    3_600_000,
  );
});
