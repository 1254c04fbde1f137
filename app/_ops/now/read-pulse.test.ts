import { expect, test } from 'vitest';
import { findFullLevel, readPulse } from './read-pulse';

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
