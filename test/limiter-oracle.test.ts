import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Features, playOnOracle, someCases } from './limiter-cases';
import {
  createLimiterOracle,
  createOracle,
  type LevelNumbers,
  type OracleAlgorithm,
  type OracleRule,
} from './limiter-oracle';
import { propertyRuns } from './property';

const numbers = (limit: number, windowMs: number): LevelNumbers => ({ limit, windowMs, subWindows: 10 });

/** A limiter with one policy of these levels; `decide` returns the verdict of a call at an instant. */
function limiterOf(algorithm: OracleAlgorithm, limit: number, windowMs: number) {
  const oracle = createLimiterOracle();
  const levels = [{ window: 'one', algorithm, numbers: numbers(limit, windowMs) }];
  const decide = (clock: number, cost: number, options: { id?: string; settleMs?: number } = {}) => {
    const { allowed, levels: decided } = oracle.decide({ clock, cost, levels, ...options });
    return { allowed, ...decided[0] };
  };
  return { ...oracle, decide };
}

describe('cost by call', () => {
  // 10 in 1 000 ms: 4 at 0, 3 at 100. A call of 5 has to wait for 2 units, which leave at 1 000 with the first four.
  test.each<[OracleAlgorithm, retryAfterMs: number]>([
    ['sliding-log', 800],
    ['sliding-counter', 899], // the sub-window of 0 ends at 99
    ['fixed-window', 800],
    ['token-bucket', 100], // 7 used, less 2 returned since 0: 5 fit from 5 used on; at 200 exactly 5 are used
    ['leaky-bucket', 100],
  ])('%s: the wait of a call is that of its own cost', (algorithm, retryAfterMs) => {
    const { decide } = limiterOf(algorithm, 10, 1_000);
    decide(0, 4);
    decide(100, 3);
    const at = algorithm.endsWith('-bucket') ? 100 : 200;
    expect(decide(at, 5)).toMatchObject({ allowed: false, retryAfterMs });
    expect(decide(at + retryAfterMs - 1, 5)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    expect(decide(at, 3)).toMatchObject({ allowed: true });
  });

  test('a cost above the limit waits one window', () => {
    for (const algorithm of ['sliding-log', 'fixed-window', 'token-bucket'] as const)
      expect(limiterOf(algorithm, 3, 1_000).decide(0, 4)).toMatchObject({
        allowed: false,
        retryAfterMs: 1_000,
      });
  });
});

describe('personal numbers', () => {
  test('a call is decided by its own limit and window over the units of all calls', () => {
    const call = createOracle('sliding-log');
    for (const at of [0, 100, 200]) expect(call(at, 1, numbers(3, 1_000))).toMatchObject({ allowed: true });
    expect(call(300, 1, numbers(3, 1_000))).toMatchObject({ allowed: false, retryAfterMs: 700 });
    expect(call(300, 1, numbers(5, 1_000))).toMatchObject({ allowed: true, used: 4 });
    expect(call(300, 1, numbers(3, 150))).toMatchObject({ allowed: true, used: 3 });
    // The last call dropped the units of 0 and 100, which had left its window.
    expect(call(300, 0, numbers(5, 1_000))).toMatchObject({ used: 3 });
  });

  test('a bucket rounds its units up when the window changes, and keeps the rate of a higher limit until it is charged', () => {
    const call = createOracle('token-bucket');
    call(0, 10, numbers(10, 1_000));
    // 9 units have returned by 900 at the former rate, and a limit of 2 admits 1 with 1 used.
    expect(call(899, 1, numbers(2, 1_000))).toMatchObject({ allowed: false, retryAfterMs: 1 });
    expect(call(900, 1, numbers(2, 1_000))).toMatchObject({ allowed: true, used: 2, resetMs: 500 });
    // 250 ms later 1.5 are used: rounded to 2 whole ones of the time of the last call, by another window 0.5 has returned.
    expect(call(1_150, 0, numbers(2, 2_000))).toMatchObject({ used: 2, resetMs: 750 });
  });

  test('with unchanged numbers each unit of a bucket returns windowMs / limit after the one before it', () => {
    const calls = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 5 })), {
      maxLength: 40,
    });
    const parameters = fc.record({
      limit: fc.integer({ min: 5, max: 9 }),
      windowMs: fc.integer({ min: 1, max: 400 }),
      calls,
    });
    fc.assert(
      fc.property(parameters, ({ limit, windowMs, calls: steps }) => {
        const call = createOracle('token-bucket');
        /** The instants at which the units return, in 1 / limit ms. */
        let returns: number[] = [];
        let clock = 0;
        for (const [step, cost] of steps) {
          clock += step;
          returns = returns.filter((instant) => instant > clock * limit);
          const allowed = cost === 0 || returns.length + cost <= limit;
          for (let unit = 0; allowed && unit < cost; unit += 1)
            returns.push((returns.at(-1) ?? clock * limit) + windowMs);
          const resetMs = returns[0] === undefined ? 0 : Math.ceil(returns[0] / limit) - clock;
          expect(call(clock, cost, numbers(limit, windowMs))).toMatchObject({
            allowed,
            used: returns.length,
            resetMs,
          });
        }
      }),
      propertyRuns(1_000),
    );
  });
});

describe('settle', () => {
  test.each(['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket'] as const)(
    '%s: the rest returns at once, and settling again changes nothing',
    (algorithm) => {
      const { decide, settle } = limiterOf(algorithm, 10, 1_000);
      expect(decide(0, 8, { id: 'a', settleMs: 5_000 })).toMatchObject({ allowed: true, used: 8 });
      expect(decide(0, 4)).toMatchObject({ allowed: false });
      expect(settle({ id: 'a', clock: 0, kept: 3 })).toBe(true);
      expect(decide(0, 4)).toMatchObject({ allowed: true, used: 7 });
      expect(settle({ id: 'a', clock: 0, kept: 0 })).toBe(false);
      expect(decide(0, 0)).toMatchObject({ used: 7 });
    },
  );

  test('kept units keep the instant of the call', () => {
    const { decide, settle } = limiterOf('sliding-log', 10, 1_000);
    decide(0, 8, { id: 'a', settleMs: 5_000 });
    decide(400, 1);
    settle({ id: 'a', clock: 600, kept: 2 });
    expect(decide(999, 0)).toMatchObject({ used: 3, resetMs: 1 });
    expect(decide(1_000, 0)).toMatchObject({ used: 1, resetMs: 400 });
  });

  test('from the end of its lease on, a reservation is spent', () => {
    const { decide, settle } = limiterOf('sliding-log', 10, 1_000);
    decide(0, 8, { id: 'a', settleMs: 100 });
    decide(0, 2, { id: 'b', settleMs: 101 });
    expect(settle({ id: 'a', clock: 100, kept: 0 })).toBe(false);
    expect(settle({ id: 'b', clock: 100, kept: 0 })).toBe(true);
    expect(decide(999, 0)).toMatchObject({ used: 8 });
    expect(decide(1_000, 0)).toMatchObject({ used: 0 });
  });

  test('a refused call reserves nothing', () => {
    const { decide, settle } = limiterOf('sliding-log', 10, 1_000);
    decide(0, 8);
    expect(decide(0, 3, { id: 'a', settleMs: 100 })).toMatchObject({ allowed: false });
    expect(settle({ id: 'a', clock: 0, kept: 0 })).toBe(false);
    expect(decide(0, 0)).toMatchObject({ used: 8 });
  });

  test('units of an earlier fixed window return nothing to the present one', () => {
    const { decide, settle } = limiterOf('fixed-window', 10, 1_000);
    decide(900, 8, { id: 'a', settleMs: 5_000 });
    decide(1_100, 6);
    settle({ id: 'a', clock: 1_200, kept: 0 });
    expect(decide(1_200, 0)).toMatchObject({ used: 6 });
  });

  test.each([
    [300, 0, 0],
    [300, 5, 2],
    [700, 5, 0],
  ])('10 units of a bucket reserved at 0 and settled at %i to %i leave %i used', (clock, kept, used) => {
    const { decide, settle } = limiterOf('token-bucket', 10, 1_000);
    decide(0, 10, { id: 'a', settleMs: 5_000 });
    settle({ id: 'a', clock, kept });
    expect(decide(clock, 0)).toMatchObject({ used });
  });

  test('a bucket returns no unit that time has returned, so it admits no second burst', () => {
    const { decide, settle } = limiterOf('token-bucket', 10, 1_000);
    decide(0, 10, { id: 'a', settleMs: 5_000 });
    expect(decide(900, 9)).toMatchObject({ allowed: true, used: 10 });
    settle({ id: 'a', clock: 900, kept: 0 });
    expect(decide(900, 0)).toMatchObject({ used: 9 });
  });

  test('a bucket never has more room than if each call had cost what it kept', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 300 }),
      cost: fc.integer({ min: 1, max: 10 }),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
      settleAfter: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const { decide, settle } = limiterOf('token-bucket', 10, 1_000);
        const asKept = createOracle('token-bucket');
        const open: { id: string; kept: number; after: number }[] = [];
        let clock = 0;
        for (const [index, { wait, cost, keep, settleAfter }] of steps.entries()) {
          clock += wait;
          const kept = Math.floor(keep * cost);
          if (decide(clock, cost, { id: `${index}`, settleMs: 1e9 }).allowed) {
            expect(asKept(clock, kept, numbers(10, 1_000))).toMatchObject({ allowed: true });
            open.push({ id: `${index}`, kept, after: index + settleAfter });
          }
          for (const { id, kept: units } of open.filter(({ after }) => after <= index))
            settle({ id, clock, kept: units });
          const used = asKept(clock, 0, numbers(10, 1_000)).used;
          expect(decide(clock, 0).used).toBeGreaterThanOrEqual(used);
        }
      }),
      propertyRuns(2_000),
    );
  });

  test('in every window, kept and reserved units are at most the limit of a log', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 200 }),
      cost: fc.integer({ min: 1, max: 10 }),
      kept: fc.integer({ min: 0, max: 10 }),
      isKilled: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { decide, settle } = limiterOf('sliding-log', 10, 1_000);
        const spent: { at: number; units: number }[] = [];
        let clock = 0;
        for (const [index, { wait, cost, kept, isKilled }] of steps.entries()) {
          clock += wait;
          if (!decide(clock, cost, { id: `${index}`, settleMs: 500 }).allowed) continue;
          const units = isKilled ? cost : Math.min(cost, kept);
          if (!isKilled) settle({ id: `${index}`, clock, kept: units });
          spent.push({ at: clock, units });
          const inWindow = spent.filter(({ at }) => at > clock - 1_000);
          expect(inWindow.reduce((sum, one) => sum + one.units, 0)).toBeLessThanOrEqual(10);
        }
      }),
      propertyRuns(1_000),
    );
  });
});

describe('in flight', () => {
  test('at most the limit is in flight, and a lease is held until just before its end', () => {
    const { decide } = limiterOf('in-flight', 2, 1_000);
    expect(decide(0, 1, { id: 'a' })).toMatchObject({
      allowed: true,
      used: 1,
      retryAfterMs: 0,
      resetMs: 1_000,
    });
    expect(decide(300, 1, { id: 'b' })).toMatchObject({ allowed: true, used: 2, retryAfterMs: 700 });
    expect(decide(999, 1, { id: 'c' })).toMatchObject({ allowed: false, used: 2, retryAfterMs: 1 });
    expect(decide(1_000, 1, { id: 'c' })).toMatchObject({ allowed: true, used: 2, retryAfterMs: 300 });
  });

  test('a release makes room at once, once', () => {
    const { decide, release } = limiterOf('in-flight', 1, 1_000);
    decide(0, 1, { id: 'a' });
    expect(release({ id: 'a', clock: 5 })).toBe(true);
    expect(decide(5, 1, { id: 'b' })).toMatchObject({ allowed: true });
    expect(release({ id: 'a', clock: 6 })).toBe(false);
    expect(decide(6, 1, { id: 'c' })).toMatchObject({ allowed: false });
  });

  test('a renewal moves the end, and a lease that has ended cannot be renewed', () => {
    const { decide, renew } = limiterOf('in-flight', 1, 1_000);
    decide(0, 1, { id: 'a' });
    expect(renew({ id: 'a', clock: 999 })).toBe(true);
    expect(decide(1_998, 1, { id: 'b' })).toMatchObject({ allowed: false, retryAfterMs: 1 });
    expect(renew({ id: 'a', clock: 1_999 })).toBe(false);
    expect(decide(1_999, 1, { id: 'b' })).toMatchObject({ allowed: true });
  });

  test('a call takes one lease, whatever it costs', () => {
    const { decide } = limiterOf('in-flight', 2, 1_000);
    expect(decide(0, 5, { id: 'a' })).toMatchObject({ allowed: true, used: 1 });
  });
});

describe('several levels', () => {
  const shop = { window: 'shop', algorithm: 'sliding-log' as const, numbers: numbers(3, 1_000) };
  const ada = { window: 'ada', algorithm: 'sliding-log' as const, numbers: numbers(2, 1_000) };
  const eve = { ...ada, window: 'eve' };

  test('several policies charge the window of a shared level', () => {
    const { decide } = createLimiterOracle();
    expect(decide({ clock: 0, cost: 2, levels: [ada, shop] })).toMatchObject({
      allowed: true,
      levels: [{ used: 2 }, { used: 2 }],
    });
    expect(decide({ clock: 1, cost: 2, levels: [eve, shop] })).toMatchObject({
      allowed: false,
      levels: [
        { refuses: false, used: 0 },
        { refuses: true, used: 2, retryAfterMs: 999 },
      ],
    });
    expect(decide({ clock: 1, cost: 1, levels: [shop] })).toMatchObject({
      allowed: true,
      levels: [{ used: 3 }],
    });
  });

  test('a shadow level refuses no call, and is charged while it has room', () => {
    const { decide } = createLimiterOracle();
    const levels = [{ ...ada, isShadow: true }, shop];
    const verdicts = [0, 1, 2, 3].map((clock) => decide({ clock, cost: 1, levels }));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(verdicts.map((verdict) => verdict.levels[0])).toMatchObject([
      ...[
        { used: 1, refuses: false },
        { used: 2, refuses: false },
      ],
      ...[
        { used: 2, refuses: true },
        { used: 2, refuses: true },
      ],
    ]);
  });

  test('settling returns the rest on every level, and a release leaves the units', () => {
    const { decide, settle, release } = createLimiterOracle();
    const pay = { window: 'pay', algorithm: 'in-flight' as const, numbers: numbers(1, 500) };
    const levels = [ada, shop, pay];
    decide({ clock: 0, cost: 2, levels, id: 'a', settleMs: 100 });
    settle({ id: 'a', clock: 50, kept: 1 });
    release({ id: 'a', clock: 50 });
    expect(decide({ clock: 50, cost: 0, levels }).levels.map(({ used }) => used)).toEqual([1, 1, 0]);
  });
});

describe('rules of operators', () => {
  const level = { window: 'ada', algorithm: 'sliding-log' as const, numbers: numbers(2, 1_000) };
  const shop = { window: 'shop', algorithm: 'sliding-log' as const, numbers: numbers(9, 1_000) };

  test('numbers replace the limit, the window, or both', () => {
    const { decide } = createLimiterOracle();
    const at = (clock: number, rule?: OracleRule) =>
      decide({ clock, cost: 1, levels: [{ ...level, rule }] }).levels[0];
    expect([at(0), at(0)]).toMatchObject([{ used: 1 }, { used: 2 }]);
    expect(at(0)).toMatchObject({ refuses: true, retryAfterMs: 1_000 });
    expect(at(0, { kind: 'numbers', limit: 3 })).toMatchObject({ refuses: false, used: 3 });
    expect(at(500, { kind: 'numbers', windowMs: 600 })).toMatchObject({ refuses: true, retryAfterMs: 100 });
  });

  test('an exempt level takes no part, and without any other the call charges nothing', () => {
    const { decide } = createLimiterOracle();
    const exempt = { ...level, rule: { kind: 'exempt' as const } };
    for (let calls = 0; calls < 3; calls += 1)
      expect(decide({ clock: 0, cost: 1, levels: [exempt, shop] }).allowed).toBe(true);
    expect(decide({ clock: 0, cost: 1, levels: [exempt] })).toMatchObject({
      allowed: true,
      levels: [{ takesPart: false }],
    });
    expect(decide({ clock: 0, cost: 0, levels: [level, shop] }).levels).toMatchObject([
      { used: 0 },
      { used: 3 },
    ]);
  });

  test('a denial refuses until its end without any other level, unless its level is in shadow', () => {
    const { decide } = createLimiterOracle();
    const denied = { ...level, rule: { kind: 'deny' as const, until: 100 } };
    expect(decide({ clock: 99, cost: 1, levels: [shop, denied] })).toMatchObject({
      allowed: false,
      levels: [{ takesPart: false }, { refuses: true, retryAfterMs: 1, punished: { bannedUntil: 100 } }],
    });
    expect(decide({ clock: 99, cost: 1, levels: [shop, { ...denied, isShadow: true }] }).allowed).toBe(true);
    expect(decide({ clock: 100, cost: 1, levels: [shop, denied] })).toMatchObject({
      allowed: true,
      levels: [{ used: 2 }, { used: 2 }],
    });
  });
});

describe('request ids', () => {
  const level = { window: 'ada', algorithm: 'sliding-log' as const, numbers: numbers(1, 1_000) };

  test('a charged id is admitted again without a charge, and conflicts with another input', () => {
    const { decide } = createLimiterOracle();
    const call = (clock: number, id: string, input: string) =>
      decide({ clock, cost: 1, levels: [level], request: { id, input } });
    expect(call(0, 'one', 'a')).toMatchObject({ allowed: true, repeats: 'nothing' });
    expect(call(1, 'two', 'a')).toMatchObject({ allowed: false });
    expect(call(2, 'one', 'a')).toMatchObject({
      allowed: true,
      repeats: 'same input',
      levels: [{ used: 1 }],
    });
    expect(call(3, 'one', 'b')).toMatchObject({ allowed: true, repeats: 'other input' });
    // The refused call left its id unused.
    expect(call(1_000, 'two', 'b')).toMatchObject({ allowed: true, repeats: 'nothing' });
  });

  test('in a leaky bucket a replay keeps the start of its call', () => {
    const { decide } = createLimiterOracle();
    const levels = [{ ...level, algorithm: 'leaky-bucket' as const, numbers: numbers(3, 900) }];
    const delayOf = (clock: number, id: string) =>
      decide({ clock, cost: 1, levels, request: { id, input: '' } }).levels[0]?.delayMs;
    expect([delayOf(0, 'a'), delayOf(0, 'b'), delayOf(0, 'c')]).toEqual([0, 300, 600]);
    expect([delayOf(100, 'b'), delayOf(301, 'b'), delayOf(301, 'c')]).toEqual([200, 0, 299]);
  });

  test('a denial refuses a replay', () => {
    const { decide } = createLimiterOracle();
    const request = { id: 'one', input: 'a' };
    decide({ clock: 0, cost: 1, levels: [level], request });
    const denied = { ...level, rule: { kind: 'deny' as const, until: 9 } };
    expect(decide({ clock: 1, cost: 1, levels: [denied], request })).toMatchObject({ allowed: false });
  });
});

describe('punishment', () => {
  const punishment = { warnAt: 2, banAt: 3, banMs: 500, lapseMs: 200 };
  const level = { window: 'ada', algorithm: 'sliding-log' as const, numbers: numbers(1, 10_000), punishment };

  test('the violation banAt bans, and the end of the ban clears the violations', () => {
    const { decide } = createLimiterOracle();
    const at = (clock: number) => decide({ clock, cost: 1, levels: [level] }).levels[0];
    expect([0, 1, 2, 3, 4, 502, 503].map(at)).toMatchObject([
      { refuses: false, punished: { violations: 0, isWarning: false, bannedUntil: 0 } },
      { refuses: true, punished: { violations: 1, isWarning: false, bannedUntil: 0 } },
      { refuses: true, punished: { violations: 2, isWarning: true, bannedUntil: 0 } },
      { refuses: true, retryAfterMs: 9_997, punished: { violations: 3, isWarning: true, bannedUntil: 503 } },
      { refuses: true, punished: { violations: 3, bannedUntil: 503 } },
      { refuses: true, punished: { violations: 3, bannedUntil: 503 } },
      { refuses: true, punished: { violations: 1, bannedUntil: 0 } },
    ]);
  });

  test('violations lapse together after the last', () => {
    const { decide } = createLimiterOracle();
    const at = (clock: number) => decide({ clock, cost: 1, levels: [level] }).levels[0]?.punished?.violations;
    expect([0, 1, 200, 399, 599, 798].map(at)).toEqual([0, 1, 2, 3, 3, 3]);
    const { decide: again } = createLimiterOracle();
    const calls = [0, 1, 200, 400].map((clock) => again({ clock, cost: 1, levels: [level] }).levels[0]);
    expect(calls.map((one) => one?.punished?.violations)).toEqual([0, 1, 2, 1]);
  });

  test('a ban refuses calls that have room, and no level counts a violation during it', () => {
    const { decide } = createLimiterOracle();
    const other = { ...level, window: 'ip', punishment: { ...punishment, banAt: 9 } };
    const short = { ...level, numbers: numbers(1, 10), punishment: { ...punishment, banAt: 1 } };
    const at = (clock: number) => decide({ clock, cost: 1, levels: [short, other] });
    expect([0, 1, 20].map((clock) => at(clock).levels)).toMatchObject([
      [{ refuses: false }, { refuses: false }],
      [
        { refuses: true, punished: { violations: 1, bannedUntil: 501 } },
        { refuses: true, punished: { violations: 1 } },
      ],
      [
        { refuses: true, used: 0, retryAfterMs: 481 },
        { refuses: true, punished: { violations: 1 } },
      ],
    ]);
  });

  test('a level in shadow counts no violation', () => {
    const { decide } = createLimiterOracle();
    const levels = [{ ...level, isShadow: true }];
    const calls = [0, 1, 2].map((clock) => decide({ clock, cost: 1, levels }));
    expect(calls.map((one) => one.levels[0]?.punished?.violations)).toEqual([0, 0, 0]);
  });
});

describe('random cases', () => {
  const names = ['shared', 'costByCall', 'personal', 'settle', 'inFlight'] as const;
  const others = { rules: true, punishment: true, requestIds: true };
  const combinations = Array.from(
    { length: 2 ** names.length },
    (_, bits): Features => Object.fromEntries(names.map((name, index) => [name, (bits & (1 << index)) > 0])),
  );

  test('with every combination of features, no admitted call leaves more than the limit used', () => {
    for (const features of combinations)
      fc.assert(
        fc.property(someCases(features), (one) => {
          const decided = one.steps.filter((step) => step.kind === 'decide');
          const verdicts = playOnOracle(createLimiterOracle(), one).filter((it) => typeof it !== 'boolean');
          for (const [index, { allowed, levels }] of verdicts.entries()) {
            const { policy = 0, numbers: called = [], cost = 0 } = decided[index] ?? {};
            for (const [position, { refuses, used }] of levels.entries()) {
              const isShadow = one.policies[policy]?.levels[position]?.isShadow;
              if (allowed && cost > 0 && !refuses)
                expect(used).toBeLessThanOrEqual(called[position]?.limit ?? 0);
              if (allowed && refuses) expect(isShadow).toBe(true);
            }
          }
        }),
        propertyRuns(1_000, { short: 60 }),
      );
  }, 600_000);

  test('each feature is in its cases, and refuses and admits calls', () => {
    const all = { ...Object.fromEntries(names.map((name) => [name, true])), ...others };
    const cases = fc.sample(someCases(all), 200);
    const outcomes = cases.flatMap((one) => playOnOracle(createLimiterOracle(), one));
    const verdicts = outcomes.filter((one) => typeof one !== 'boolean');
    expect(new Set(verdicts.map(({ allowed }) => allowed))).toEqual(new Set([true, false]));
    const steps = cases.flatMap((one) => one.steps);
    for (const kind of ['decide', 'settle', 'release', 'renew'])
      expect(steps.filter((step) => step.kind === kind).length).toBeGreaterThan(50);
    const sharing = cases.filter(
      ({ policies }) => policies.filter(({ levels }) => levels.some(({ isShared }) => isShared)).length > 1,
    );
    expect(sharing.length).toBeGreaterThan(50);
    const decisions = steps.filter((step) => step.kind === 'decide');
    const rules = decisions.flatMap((step) => step.rules.map((rule) => rule?.kind));
    for (const kind of ['numbers', 'exempt', 'deny']) expect(rules).toContain(kind);
    const repeats = verdicts.map((verdict) => verdict.repeats);
    expect(new Set(repeats)).toEqual(new Set(['nothing', 'same input', 'other input']));
    const bans = verdicts.filter(({ levels }) => levels.some(({ punished }) => punished?.bannedUntil));
    expect(bans.length).toBeGreaterThan(0);
  });
});
