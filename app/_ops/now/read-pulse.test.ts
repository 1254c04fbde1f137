import { expect, test } from 'vitest';
import { readPulse } from './read-pulse';

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
    { ...shared, admitted: 60, refused: 20 },
  ];
  const history = [second(...levels, { policy: 'claim', level: 'user', admitted: 40 })];
  const pulse = readPulse(history, TO);
  // (60 + 40) / 10 s and 20 / 10 s
  expect(pulse).toMatchObject({ state: 'busy', admittedPerSecond: 10, refusedPerSecond: 2 });
  expect(pulse.spark.admitted.at(-1)).toBe(100);
  expect(pulse.spark.refused.at(-1)).toBe(20);
});

test('it is a flood from half of the calls and five per second on, and names the level that refuses most', () => {
  const history = [second({ ...user, admitted: 50, refused: 10 }, { ...shared, admitted: 50, refused: 40 })];
  expect(readPulse(history, TO)).toMatchObject({ state: 'flood', refusing: shared });
});

test.each([
  ['half, but only 4.9 per second', { admitted: 10, refused: 49 }],
  ['more than five per second, but less than half', { admitted: 61, refused: 60 }],
])('%s is no flood', (_what, counts) => {
  expect(readPulse([second({ ...shared, ...counts })], TO).state).toBe('busy');
});

test('without decisions in ten seconds, it is quiet', () => {
  expect(readPulse([{ ...second({ ...shared, refused: 900 }), at: TO - 10_000 }], TO).state).toBe('quiet');
  expect(readPulse([], TO)).toMatchObject({ state: 'quiet', refusing: undefined });
});
