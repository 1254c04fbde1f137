import { expect, test } from 'vitest';
import { readOutage, toFleetReadings } from './readings';

const node = {
  node: 'one',
  viewers: 0,
  failing: [] as string[],
  slow: [] as string[],
  ledgerLagMs: 0,
  mismatches: 0,
  leased: [],
};
const second = (at: number, ...levels: [string, string, number, number, number][]) => ({
  at,
  levels: levels.map(([policy, level, admitted, refused, banned]) => ({
    ...{ policy, level, admitted, refused, banned, degraded: 0 },
  })),
});

function measured(rule: string, options: Partial<Parameters<typeof toFleetReadings>[0]>, target = '') {
  const readings = toFleetReadings({
    policies: ['seckill', 'claim'].map((name) => ({ name, isBlocked: false })),
    points: [],
    latency: null,
    fleet: [node],
    ...options,
  });
  return readings.find((reading) => reading.rule === rule && reading.target === target)?.value;
}

test('the refused share counts calls, not levels', () => {
  const points = [
    // 20 admitted at both levels; 30 refused by one, 50 by the other: 80 of 100.
    second(0, ['seckill', 'user', 10, 30, 0], ['seckill', 'global', 10, 0, 0]),
    second(
      1_000,
      ['seckill', 'user', 10, 0, 0],
      ['seckill', 'global', 10, 50, 0],
      ['claim', 'user', 9, 0, 0],
    ),
  ];
  expect(measured('refused-share', { points }, 'seckill')).toBe(0.8);
});

test('bans are refusals', () => {
  expect(measured('refused-share', { points: [second(0, ['claim', 'user', 10, 0, 30])] }, 'claim')).toBe(
    0.75,
  );
});

test('a policy that an operator blocks has no refused share', () => {
  const policies = [{ name: 'claim', isBlocked: true }];
  expect(
    measured('refused-share', { policies, points: [second(0, ['claim', 'user', 0, 90, 0])] }, 'claim'),
  ).toBe(0);
});

test('with fewer calls than one per second, the share is 0', () => {
  expect(measured('refused-share', { points: [second(0, ['claim', 'user', 0, 29, 0])] }, 'claim')).toBe(0);
  expect(measured('refused-share', { points: [second(0, ['claim', 'user', 0, 30, 0])] }, 'claim')).toBe(1);
});

test('with fewer decisions than a hundred, the slowest one raises no alert', () => {
  const latency = { p50Ms: 1, p99Ms: 158 };
  expect(measured('slow-decisions', { latency: { ...latency, decisions: 99 } })).toBe(0);
  expect(measured('slow-decisions', { latency: { ...latency, decisions: 100 } })).toBe(158);
});

test('a failure on one node is a failure of the fleet', () => {
  const fleet = [node, { ...node, failing: ['postgres'], ledgerLagMs: 13_000, mismatches: 2 }];
  expect(measured('store-down', { fleet }, 'postgres')).toBe(2);
  expect(measured('ledger-lag', { fleet })).toBe(13_000);
  expect(measured('auditor-mismatch', { fleet })).toBe(2);
});

test('a store that is slow is less than one that does not answer', () => {
  const slow = { ...node, failing: ['postgres'], slow: ['postgres'] };
  expect(measured('store-down', { fleet: [node, slow] }, 'postgres')).toBe(1);
  expect(measured('store-down', { fleet: [slow, { ...node, failing: ['postgres'] }] }, 'postgres')).toBe(2);
  expect(readOutage({ ok: true, detail: 'answers' })).toBe(0);
  expect(readOutage({ ok: false, detail: 'no answer in 300 ms', findings: [{ code: 'slow' }] })).toBe(1);
  expect(readOutage({ ok: false, detail: 'the check failed' })).toBe(2);
});

test('without a live node, all readings are 0', () => {
  expect(
    toFleetReadings({ policies: [], points: [], latency: null, fleet: [] }).map(({ value }) => value),
  ).toEqual([0, 0, 0, 0]);
});
