import { expect, test } from 'vitest';
import type { OpsEvent } from '../live/ops-event';
import type { Level, Policy } from '../types';
import { foldQuiet, listAttention, listLevelRows, rowKey } from './level-rows';

const limit = { limit: 5, windowMs: 10_000 };
const level = (name: string, mode: Level['mode'] = 'enforce') =>
  ({ level: name, mode, declared: limit, effective: limit }) as Level;
const policies: Policy[] = [
  { policy: 'claim', levels: [level('user')] },
  { policy: 'merchant', levels: [level('ip')] },
  { policy: 'seckill', levels: [level('user'), level('global')] },
];
const TO = 1_000_000;

/** A second with decisions of one level. */
const second = (
  at: number,
  name: string,
  counts: { admitted?: number; refused?: number; banned?: number },
) => {
  const [policy = '', levelName = ''] = name.split(':');
  const none = { admitted: 0, refused: 0, banned: 0, degraded: 0 };
  return { at, levels: [{ policy, level: levelName, ...none, ...counts }] };
};
const rowsOf = (history: ReturnType<typeof second>[], attention: string[] = [], full: string[] = []) =>
  listLevelRows({ policies, history, to: TO, attention: new Set(attention), full: new Set(full) });
const event = (
  windows: { policy: string; level: string; limit?: number; mode?: string }[],
  targets: string[] = [],
) =>
  ({
    windows: windows.map((one) => ({ ...limit, mode: 'enforce', ...one })),
    alerts: { active: targets.map((target) => ({ target })), recent: [] },
  }) as unknown as OpsEvent;

test('of the levels that refuse, and of the others, the one with the most calls per second comes first', () => {
  const rows = rowsOf([
    second(TO, 'merchant:ip', { admitted: 90 }),
    second(TO, 'seckill:global', { admitted: 10, refused: 200 }),
    second(TO, 'claim:user', { refused: 2, banned: 3 }),
  ]);
  expect(rows.map(rowKey)).toEqual(['seckill:global', 'claim:user', 'merchant:ip', 'seckill:user']);
});

test('levels at their limits come before busier ones: full windows, and refusals of the last ten seconds', () => {
  const rows = rowsOf(
    [
      second(TO, 'merchant:ip', { admitted: 90 }),
      second(TO, 'seckill:user', { admitted: 30, refused: 10 }),
      second(TO - 30_000, 'claim:user', { admitted: 10, refused: 10 }),
      second(TO - 30_000, 'seckill:global', { admitted: 1 }),
    ],
    [],
    ['seckill:global'],
  );
  expect(rows.map(rowKey)).toEqual(['seckill:user', 'seckill:global', 'merchant:ip', 'claim:user']);
  expect(rows.find((row) => rowKey(row) === 'seckill:global')?.isQuiet).toBe(false);
});

test('a window that stays full without calls comes after levels with calls', () => {
  const history = [
    second(TO, 'merchant:ip', { admitted: 1 }),
    second(TO - 30_000, 'seckill:user', { admitted: 1 }),
  ];
  const rows = rowsOf(history, [], ['claim:user']);
  expect(rows.map(rowKey)).toEqual(['merchant:ip', 'seckill:user', 'claim:user', 'seckill:global']);
});

test('the peak of a row is its busiest second, as in the chart, and not an average', () => {
  const [row, idle] = rowsOf([
    second(TO - 61_000, 'claim:user', { admitted: 40 }),
    second(TO - 60_000, 'claim:user', { admitted: 40 }),
    second(TO - 30_000, 'claim:user', { admitted: 20, refused: 6, banned: 20 }),
    second(TO - 600_000, 'claim:user', { admitted: 900 }),
  ]);
  expect(row?.peakPerSecond).toBe(46);
  expect(idle?.peakPerSecond).toBe(0);
});

test('levels with the same shown rate are in the order of their names', () => {
  const rows = rowsOf([
    second(TO - 30_000, 'seckill:user', { admitted: 900 }),
    second(TO, 'seckill:user', { admitted: 1 }),
    second(TO, 'merchant:ip', { admitted: 3 }),
    second(TO, 'claim:user', { admitted: 3 }),
    second(TO, 'seckill:global', { admitted: 1_204 }),
  ]);
  expect(rows.map(rowKey)).toEqual(['seckill:global', 'claim:user', 'merchant:ip', 'seckill:user']);
});

test('of levels with the same rate, the one that refuses more comes first', () => {
  const rows = rowsOf([
    second(TO, 'claim:user', { admitted: 298 }),
    second(TO, 'seckill:global', { admitted: 24, refused: 274 }),
  ]);
  expect(rows.slice(0, 2).map(rowKey)).toEqual(['seckill:global', 'claim:user']);
});

test('rates that are shown without decimals are compared without them', () => {
  const rows = rowsOf([
    second(TO, 'seckill:user', { admitted: 1_204 }),
    second(TO, 'claim:user', { admitted: 1_201 }),
  ]);
  expect(rows.slice(0, 2).map(rowKey)).toEqual(['claim:user', 'seckill:user']);
});

test('rates are averages of ten seconds, and blocked calls count as refused', () => {
  const [row] = rowsOf([
    second(TO - 10_000, 'claim:user', { admitted: 70 }),
    second(TO - 9_000, 'claim:user', { admitted: 20, refused: 4 }),
    second(TO, 'claim:user', { admitted: 10, banned: 6 }),
    second(TO + 1_000, 'claim:user', { admitted: 70 }),
  ]);
  // (20 + 10) / 10 s, and (4 + 6) / 10 s
  expect(row).toMatchObject({ admittedPerSecond: 3, refusedPerSecond: 1 });
});

test('the bars of ten minutes begin at full ten seconds, the newest last', () => {
  const [row] = rowsOf([
    second(TO - 600_000, 'claim:user', { admitted: 70 }),
    second(TO - 11_000, 'claim:user', { admitted: 4 }),
    second(TO - 10_000, 'claim:user', { admitted: 20, refused: 4 }),
    second(TO - 1_000, 'claim:user', { admitted: 1, banned: 2 }),
    second(TO, 'claim:user', { refused: 9 }),
  ]);
  expect(row?.spark.admitted).toHaveLength(60);
  expect(row?.spark.admitted.slice(-3)).toEqual([4, 21, 0]);
  expect(row?.spark.refused.slice(-3)).toEqual([0, 6, 9]);
  expect(row?.spark.admitted[0]).toBe(0);
});

test('the decision time of the last minute is divided among the policies', () => {
  const point = (at: number, decisionMs: Record<string, number>) => ({ at, levels: [], decisionMs });
  const history = [
    point(TO - 60_000, { claim: 90 }),
    point(TO - 1_000, { claim: 1 }),
    point(TO, { seckill: 3 }),
  ];
  const rows = listLevelRows({ policies, history, to: TO, attention: new Set(), full: new Set() });
  const shares = Object.fromEntries(rows.map((row) => [rowKey(row), row.timeShare]));
  expect(shares).toEqual({
    ...{ 'claim:user': 0.25, 'seckill:user': 0.75, 'seckill:global': 0.75 },
    'merchant:ip': undefined,
  });
});

test('one row of a policy with several levels shows its share, so that the shares add up to 100 %', () => {
  const rows = rowsOf([
    second(TO, 'seckill:user', { admitted: 1 }),
    second(TO, 'seckill:global', { admitted: 1, refused: 1 }),
  ]);
  expect(rows.filter((row) => row.isFirstOfPolicy).map(rowKey)).toEqual([
    'seckill:global',
    'claim:user',
    'merchant:ip',
  ]);
});

test('a level without a decision for a minute folds', () => {
  const { shown, quiet } = foldQuiet(
    rowsOf([
      second(TO - 60_000, 'merchant:ip', { admitted: 1 }),
      second(TO - 59_000, 'seckill:user', { admitted: 1 }),
    ]),
  );
  expect(shown.map(rowKey)).toEqual(['seckill:user']);
  expect(quiet.map(rowKey)).toEqual(['claim:user', 'merchant:ip', 'seckill:global']);
});

test('regression: a level with a call of the newest seconds is not quiet, as in the decision count', () => {
  const { shown } = foldQuiet(rowsOf([second(TO + 2_000, 'seckill:user', { admitted: 1 })]));
  expect(shown.map(rowKey)).toEqual(['seckill:user']);
  expect(shown[0]).toMatchObject({ admittedPerSecond: 0, peakPerSecond: 0 });
});

test('a level that is off, in shadow, overridden or alerting never folds', () => {
  const attention = listAttention(
    policies,
    event(
      [
        { policy: 'merchant', level: 'ip', mode: 'off' },
        { policy: 'seckill', level: 'user', mode: 'shadow' },
        { policy: 'seckill', level: 'global', limit: 50 },
      ],
      ['claim'],
    ),
  );
  expect(attention).toEqual(['claim:user', 'merchant:ip', 'seckill:user', 'seckill:global']);
  expect(foldQuiet(rowsOf([], attention)).quiet).toEqual([]);
});

test('before the first event, a level that was loaded in shadow needs attention', () => {
  const shadow = [{ policy: 'claim', levels: [level('user', 'shadow'), level('ip')] }];
  expect(listAttention(shadow, undefined)).toEqual(['claim:user']);
});

test('while an operator points at the table, rows keep their places, and new ones come last', () => {
  const rows = rowsOf([
    second(TO, 'seckill:global', { refused: 200 }),
    second(TO, 'merchant:ip', { admitted: 90 }),
  ]);
  const { shown, quiet } = foldQuiet(rows, ['claim:user', 'merchant:ip']);
  expect(shown.map(rowKey)).toEqual(['claim:user', 'merchant:ip', 'seckill:global']);
  expect(quiet.map(rowKey)).toEqual(['seckill:user']);
});
