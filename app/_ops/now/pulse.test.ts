import { expect, test } from 'vitest';
import type { Health, OpsEvent } from '../live/ops-event';
import { findFullLevel, hasRecentRefusals, readAdmitted, readHeadline, readPulse } from './pulse';

const TO = 1_000_000;
const none = { admitted: 0, refused: 0, banned: 0, degraded: 0 };
const second = (...levels: { policy: string; level: string; admitted?: number; refused?: number }[]) => ({
  at: TO,
  levels: levels.map((level) => ({ ...none, ...level })),
});
const user = { policy: 'seckill', level: 'user' };
const shared = { policy: 'seckill', level: 'global' };

test('a call that two levels admit counts once, and calls of two policies add up', () => {
  const levels = [
    { ...user, admitted: 60 },
    { ...shared, admitted: 60, refused: 18 },
  ];
  const history = [second(...levels, { policy: 'claim', level: 'user', admitted: 40 })];
  const pulse = readPulse(history, TO);
  // (60 + 40) / 10 s and 18 / 10 s
  expect(pulse).toMatchObject({
    traffic: 'busy',
    peakPerSecond: 118,
    admittedPerSecond: 10,
    refusedPerSecond: 1.8,
  });
  expect(pulse.spark.admitted.at(-1)).toBe(100);
  expect(pulse.spark.refused.at(-1)).toBe(18);
});

test('it is a flood from a quarter of the calls and two per second on, and names the level that refuses most', () => {
  const history = [second({ ...user, admitted: 60, refused: 5 }, { ...shared, admitted: 60, refused: 15 })];
  expect(readPulse(history, TO)).toMatchObject({ traffic: 'flood', refusing: shared });
});

test.each([
  ['a quarter, but only 1.9 per second', { admitted: 10, refused: 19 }, 'refusing'],
  ['a quarter, and 1 per second', { admitted: 10, refused: 10 }, 'refusing'],
  ['more than half, but only 0.9 per second', { admitted: 3, refused: 9 }, 'busy'],
  ['one call of four', { admitted: 3, refused: 1 }, 'busy'],
  ['more than two per second, but less than a quarter', { admitted: 61, refused: 20 }, 'busy'],
])('%s is no flood', (_what, counts, traffic) => {
  expect(readPulse([second({ ...shared, ...counts })], TO).traffic).toBe(traffic);
});

test('regression: with 82 % refused, the traffic is not normal, however little it is', () => {
  const pulse = readPulse([second({ ...shared, admitted: 3, refused: 14 })], TO);
  expect(pulse.traffic).toBe('refusing');
  expect(pulse.refusedShare).toBeCloseTo(0.82);
});

test('a flood without a refusal in the newest three seconds has paused', () => {
  const refusedAt = (at: number) => readPulse([{ ...second({ ...shared, refused: 900 }), at }], TO);
  expect(refusedAt(TO - 2_000)).toMatchObject({ traffic: 'flood', hasRefusedLately: true });
  expect(refusedAt(TO - 3_000)).toMatchObject({ traffic: 'flood', hasRefusedLately: false });
});

test('without decisions in ten seconds, it is quiet', () => {
  expect(readPulse([{ ...second({ ...shared, refused: 900 }), at: TO - 10_000 }], TO).traffic).toBe('quiet');
  expect(readPulse([], TO)).toMatchObject({ traffic: 'quiet', refusing: undefined, peakPerSecond: 0 });
});

test('a full shared window is named before it refuses; neither a caller’s window nor one in shadow is', () => {
  const full = { ...shared, used: 100, limit: 100, mode: 'enforce' };
  expect(findFullLevel([{ ...full, ...user }, full])).toBe('seckill:global');
  expect(findFullLevel([{ ...full, ...user }])).toBeUndefined();
  expect(findFullLevel([{ ...full, mode: 'shadow' }])).toBeUndefined();
  expect(findFullLevel([{ ...full, used: 99 }])).toBeUndefined();
});

const up: Health = { ok: true, detail: 'answers', findings: [{ code: 'answers' }] };
const down: Health = { ok: false, detail: 'does not answer', findings: [{ code: 'no-answer' }] };
const unchecked: Health = { ok: false, detail: 'no result yet', findings: [{ code: 'not-checked-yet' }] };
const erring: Health = { ok: false, detail: 'errors', findings: [{ code: 'error-reply' }] };
const event = (health: OpsEvent['health'] = {}, stale = false) => ({
  ...{ stale, nodes: [], windows: [], serverNow: 60_000, alerts: { active: [], recent: [] } },
  health: { redis: up, postgres: up, ...health },
});
const headlineOf = (facts: Partial<Parameters<typeof readHeadline>[0]>) =>
  readHeadline({
    ...{ traffic: 'busy', refusedShare: 0, event: event() },
    ...{ fullKey: undefined, isRefusing: false, hadCalls: false },
    ...facts,
  });

test.each([
  ['redisFailing', event({ redis: down })],
  ['redisFailing', event({}, true)],
  ['postgresFailing', event({ postgres: down })],
  ['storesFailing', event({ redis: down, postgres: down })],
])('%s leads the headline, also in a flood', (headline, failing) => {
  expect(headlineOf({ traffic: 'flood', event: failing })).toBe(headline);
});

test('a check without a result, and a store that answers with errors, are not a failing store', () => {
  expect(headlineOf({ event: event({ redis: unchecked, postgres: unchecked }) })).toBe('busy');
  expect(headlineOf({ event: event({ redis: erring }) })).toBe('errors');
});

test('a store whose check is slow is named as slow once the alert has fired, after a flood', () => {
  const slow: Health = { ok: false, detail: 'no answer in 300 ms', findings: [{ code: 'slow' }] };
  const active = (target: string) => ({
    ...{ id: 'a', rule: 'store-down', target, raisedAt: 1, highSince: 1, value: 1, threshold: 1 },
    ...{ values: [1], spanMs: 1_000 },
  });
  const slowStores = event({ redis: slow, postgres: slow });
  const alertOf = (target: string) => ({ ...slowStores, alerts: { active: [active(target)], recent: [] } });
  expect(headlineOf({ event: slowStores })).toBe('busy');
  expect(headlineOf({ traffic: 'flood', event: event({ redis: slow }) })).toBe('flood');
  expect(headlineOf({ event: alertOf('redis') })).toBe('redisSlow');
  expect(headlineOf({ event: alertOf('postgres') })).toBe('postgresSlow');
  expect(headlineOf({ traffic: 'flood', event: alertOf('redis') })).toBe('flood');
  expect(headlineOf({ event: event({ redis: slow }, true) })).toBe('redisFailing');
});

test('many refusals are named before a full window, and a full window before normal traffic', () => {
  expect(headlineOf({ traffic: 'refusing', fullKey: 'seckill:global' })).toBe('refusing');
  expect(headlineOf({ fullKey: 'seckill:global' })).toBe('full');
  expect(headlineOf({ traffic: 'quiet' })).toBe('quiet');
});

test('few calls, half of them refused, are not normal traffic', () => {
  expect(headlineOf({ refusedShare: 0.49 })).toBe('busy');
  expect(headlineOf({ refusedShare: 0.5 })).toBe('few');
  expect(headlineOf({ refusedShare: 0.5, fullKey: 'seckill:global' })).toBe('full');
});

test('it is not quiet while a window counts a call that the rates do not show yet', () => {
  const hitAt = (hit: number) => ({ ...event(), windows: [{ hits: [hit] } as OpsEvent['windows'][number]] });
  expect(headlineOf({ traffic: 'quiet', event: hitAt(58_000) })).toBe('starting');
  expect(headlineOf({ traffic: 'quiet', event: hitAt(58_000), hadCalls: true })).toBe('resuming');
  expect(headlineOf({ traffic: 'quiet', event: hitAt(50_000) })).toBe('quiet');
});

test.each(['quiet', 'busy'] as const)('first refusals are named before %s traffic', (traffic) => {
  expect(headlineOf({ traffic, isRefusing: true })).toBe('refusalsBegin');
  expect(headlineOf({ traffic, isRefusing: true, fullKey: 'seckill:global' })).toBe('full');
});

test('refusals in the rates are not first refusals', () => {
  expect(headlineOf({ refusedShare: 0.2, isRefusing: true })).toBe('busy');
  expect(headlineOf({ traffic: 'flood', refusedShare: 0.8, isRefusing: true })).toBe('flood');
});

test('regression: not all calls get through while a mark of the last ten seconds has refusals', () => {
  const tenSeconds = { ...event(), withinMs: 10_000 };
  const marksAt = (at: number) => ({ 'seckill:user': [], 'seckill:global': [{ at, count: 35 }] });
  expect(hasRecentRefusals(marksAt(58_000), tenSeconds)).toBe(true);
  expect(hasRecentRefusals(marksAt(50_000), tenSeconds)).toBe(false);
  expect(hasRecentRefusals({}, tenSeconds)).toBe(false);
});

test.each([
  [0.01, 'mostAdmitted'],
  [0.1, 'someRefused'],
  [0.49, 'someRefused'],
])('normal traffic with a refused share of %d: %s', (refusedShare, words) => {
  expect(readAdmitted(refusedShare)).toBe(words);
});
