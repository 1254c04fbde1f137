import { beforeEach, describe, expect, test } from 'vitest';
import { downStore } from '../../../test/store-commands';
import { createLimiter, type Limiter } from '../limiter';
import { byPlan } from '../policy/by-plan';
import { definePolicy } from '../policy/named-policy';
import type { Algorithm } from '../policy/policy';
import { memoryStore } from '../stores/memory-store';
import type { Decision } from './decision';

const START = Date.UTC(2026, 0, 1, 12);
const secret = 'a secret of at least 32 characters';
let now: number;
let limiter: Limiter;

beforeEach(() => {
  now = START;
  limiter = createLimiter({ store: memoryStore({ clock: () => now }), secret });
});

/** Calls a second apart, and returns the explanation of the last. */
async function explainLast(calls: readonly (() => Promise<Decision>)[]): Promise<string[]> {
  let lines: string[] = [];
  for (const call of calls) {
    lines = limiter.explain(await call()).split('\n');
    now += 1_000;
  }
  return lines;
}

const repeat = <Value>(count: number, value: Value) => Array<Value>(count).fill(value);

describe('a refusal names the level, what is charged since when, when it admits, and what would have had room', () => {
  test.each<[algorithm: Algorithm, charged: string, at: string]>([
    [
      'sliding-log',
      '3 of 3 units are charged in the last 60000 ms, the oldest at 2026-01-01T12:00:00.000Z.',
      '12:01:00.000Z, in 57000 ms',
    ],
    [
      'sliding-counter',
      '3 of 3 units are charged in the last 60000 ms, the oldest until 2026-01-01T12:00:05.999Z, in its sub-window.',
      '12:01:05.999Z, in 62999 ms',
    ],
    [
      'fixed-window',
      '3 of 3 units are charged since 2026-01-01T12:00:00.000Z, in a window of 60000 ms.',
      '12:01:00.000Z, in 57000 ms',
    ],
    [
      'token-bucket',
      '3 of 3 units are charged; they return evenly, 3 in 60000 ms, the next at 2026-01-01T12:00:20.000Z.',
      '12:00:20.000Z, in 17000 ms',
    ],
    [
      'leaky-bucket',
      '3 of 3 units are charged; they return evenly, 3 in 60000 ms, the next at 2026-01-01T12:00:20.000Z.',
      '12:00:20.000Z, in 17000 ms',
    ],
  ])('of a %s', async (algorithm, charged, at) => {
    const policy = definePolicy({
      name: 'claim',
      levels: [{ level: 'user', algorithm, limit: 3, windowMs: 60_000 }],
    });
    expect(await explainLast(repeat(4, () => limiter.check(policy, { user: 'ada' })))).toEqual([
      'Policy "claim" refused the call at 2026-01-01T12:00:03.000Z, and charged nothing: level "user" has no room for 1 unit.',
      charged,
      `It admits the call at 2026-01-01T${at}, if no other call is charged before.`,
      'It would have had room with an override of its limit to at least 4.',
    ]);
  });

  test('of a call in flight', async () => {
    const policy = definePolicy({
      name: 'report',
      levels: [{ level: 'user', concurrent: 1, leaseMs: 60_000 }],
    });
    expect(await explainLast(repeat(2, () => limiter.check(policy, { user: 'ada' })))).toEqual([
      expect.stringMatching(/^Policy "report" refused .* level "user" has no room for 1 unit\.$/),
      '1 of 1 calls run; the first lease ends at 2026-01-01T12:01:00.000Z, unless it is renewed.',
      'It admits the call at 2026-01-01T12:01:00.000Z, in 59000 ms, or earlier if another call ends, if no other call is charged before.',
      'It would have had room with an override of its limit to at least 2.',
    ]);
  });

  test('by units, plans and overrides', async () => {
    const planOf = () => 'free' as const;
    const policy = definePolicy({
      name: 'tokens',
      levels: [{ level: 'user', limit: byPlan({ free: 10, pro: 20, vip: 1_000 }, planOf), windowMs: 60_000 }],
      maxCost: 8,
    });
    const call = () => limiter.check(policy, { user: 'ada', cost: 8 });
    const explained = await explainLast([call, call]);
    expect(explained[0]).toMatch(/has no room for 8 units\.$/);
    expect(explained.slice(3)).toEqual([
      'It had room for 2 units.',
      'It would have had room with the plan "pro", whose limit is 20.',
      'It would have had room with the plan "vip", whose limit is 1000.',
      'It would have had room with an override of its limit to at least 16.',
    ]);
    limiter.setOverrides([{ policy: 'tokens', level: 'user', limit: 9, version: 4 }]);
    expect((await explainLast([call])).slice(3)).toEqual([
      'Its limit and window are those of an override (version 4).',
      'It had room for 1 unit.',
      'It would have had room with an override of its limit to at least 16.',
    ]);
  });

  test('and the other levels that refuse, and those in shadow mode', async () => {
    const window = { limit: 1, windowMs: 60_000 };
    const policy = definePolicy({
      name: 'sale',
      levels: [
        { level: 'user', ...window },
        { level: 'ip', ...window, mode: 'shadow' },
        { level: 'global', ...window, windowMs: 90_000 },
      ],
    });
    const own = createLimiter({ store: memoryStore({ clock: () => now }), secret, cacheDenials: false });
    limiter = own;
    const lines = await explainLast(repeat(2, () => own.check(policy, { user: 'ada', ip: '192.0.2.1' })));
    expect(lines).toContain('Level "global" refuses it too, until 2026-01-01T12:01:30.000Z.');
    expect(lines.at(-1)).toBe('The shadow level "ip" would have refused it.');
  });
});

test('a violation, a ban, a denied subject and a block are explained with what ends them', async () => {
  const policy = definePolicy({
    name: 'claim',
    levels: [
      { level: 'user', limit: 1, windowMs: 60_000, punishment: { warnAt: 1, banAt: 2, banMs: 600_000 } },
      { level: 'tenant', limit: 9, windowMs: 60_000 },
    ],
  });
  const call = () => limiter.check(policy, { user: 'ada', tenant: 'acme' });
  expect(await explainLast([call, call])).toContain('This was violation 1; violation 2 bans the subject.');
  expect(await explainLast([call])).toEqual([
    'Policy "claim" refused the call at 2026-01-01T12:00:02.000Z, and charged nothing: its subject is banned at level "user" until 2026-01-01T12:10:02.000Z, after 2 violations.',
    'Lift the ban by limiter.bans.lift, or the rule of setOverrides.',
  ]);
  const denied = { policy: 'claim', level: 'tenant', ref: limiter.pseudonymOf('acme') };
  limiter.setOverrides([], [{ ...denied, rule: { kind: 'deny', until: Number.MAX_SAFE_INTEGER } }]);
  expect((await explainLast([() => limiter.check(policy, { user: 'bob', tenant: 'acme' })]))[1]).toBe(
    'Lift the rule for this subject by setOverrides.',
  );
  limiter.setOverrides([{ policy: 'claim', level: 'user', mode: 'block', version: 7 }]);
  expect(await explainLast([call])).toEqual([
    expect.stringMatching(
      /level "user" is in mode "block", which refuses every call until the mode is changed\.$/,
    ),
    'An override (version 7) sets this mode; in mode "enforce", the level decides by its limit of 1.',
  ]);
});

test('an admitted call is explained by its charge, its delay, and the state of each level', async () => {
  const policy = definePolicy({
    name: 'flow',
    levels: [
      { level: 'user', limit: 5, windowMs: 60_000 },
      { level: 'global', algorithm: 'leaky-bucket', limit: 4, windowMs: 60_000 },
    ],
    cost: 2,
    requestId: () => undefined,
  });
  const call = (requestId: string) => () => limiter.check(policy, { user: 'ada', requestId });
  expect(await explainLast([call('1'), call('2')])).toEqual([
    'Policy "flow" admitted the call at 2026-01-01T12:00:01.000Z, and charged 2 units on each level.',
    'It starts at 2026-01-01T12:00:30.000Z, in 29000 ms.',
    'Level "user": 4 of 5 units are charged in the last 60000 ms, the oldest at 2026-01-01T12:00:00.000Z. Remaining: 1.',
    'Level "global": 4 of 4 units are charged; they return evenly, 4 in 60000 ms, the next at 2026-01-01T12:00:15.000Z. Remaining: 0.',
  ]);
  expect((await explainLast([call('1')]))[0]).toMatch(
    /charged nothing, because its request id was charged before\.$/,
  );
});

test('a call that was decided without the store is explained so', async () => {
  limiter = createLimiter({ store: downStore(), secret });
  const levels = [{ level: 'user', limit: 1, windowMs: 60_000 }] as const;
  const open = definePolicy({ name: 'open', levels, onStoreError: 'open' });
  const local = definePolicy({ name: 'local', levels, onStoreError: 'local' });
  expect((await explainLast([() => limiter.check(open, { user: 'ada' })]))[0]).toMatch(
    /^Policy "open" admitted the call at .* uncounted, because the store was unavailable\.$/,
  );
  expect((await explainLast(repeat(2, () => limiter.check(local, { user: 'ada' })))).at(-1)).toBe(
    'The store was unavailable: this node decided by its own count of its share of the limit.',
  );
});
