import { expect, test } from 'vitest';
import type { OpsEvent } from '../live/ops-event';
import type { Level, Policy } from '../types';
import { foldQuiet, joinRows, type LevelRow, listAttention, listLevelRows, rowKey } from './level-rows';

const limit = { limit: 5, windowMs: 10_000 };
const level = (name: string, mode: Level['mode'] = 'enforce') =>
  ({ level: name, mode, declared: limit, effective: limit }) as Level;
const policies: Policy[] = [
  { policy: 'auth.sendCode', levels: [level('email'), level('ip')] },
  { policy: 'claim', levels: [level('user')] },
  { policy: 'merchant', levels: [level('ip')] },
  { policy: 'coupon.seckill', levels: [level('user'), level('global')] },
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
const findRow = (rows: LevelRow[], key: string) => rows.find((row) => rowKey(row) === key);
const event = (
  windows: { policy: string; level: string; limit?: number; mode?: string }[],
  targets: string[] = [],
) =>
  ({
    windows: windows.map((one) => ({ ...limit, mode: 'enforce', ...one })),
    alerts: { active: targets.map((target) => ({ target })), recent: [] },
  }) as unknown as OpsEvent;

test('the sale comes first, then policies that refuse, then the busiest; the levels of a policy stay together', () => {
  const rows = rowsOf([
    second(TO, 'merchant:ip', { admitted: 90 }),
    second(TO, 'coupon.seckill:global', { admitted: 10 }),
    second(TO, 'claim:user', { refused: 2, banned: 3 }),
  ]);
  expect(rows.map(rowKey)).toEqual([
    ...['coupon.seckill:global', 'coupon.seckill:user', 'claim:user', 'merchant:ip'],
    ...['auth.sendCode:email', 'auth.sendCode:ip'],
  ]);
  expect(joinRows(rows).map(({ isJoined }) => isJoined)).toEqual([false, true, false, false, false, true]);
});

test('the sale is shown without a call, and idle sign-ins fold although the operator has just signed in', () => {
  const { shown, quiet } = foldQuiet(
    rowsOf(
      [second(TO, 'auth.sendCode:email', { admitted: 9 }), second(TO, 'auth.sendCode:ip', { admitted: 9 })],
      [],
      ['auth.sendCode:email'],
    ),
  );
  expect(shown.map(rowKey)).toEqual(['coupon.seckill:global', 'coupon.seckill:user']);
  expect(quiet.map(rowKey).slice(0, 2)).toEqual(['auth.sendCode:email', 'auth.sendCode:ip']);
});

test.each([
  ['one that refuses', { refused: 1 }],
  ['one call per second', { admitted: 10 }],
])('sign-ins are shown with %s', (_what, counts) => {
  const { shown } = foldQuiet(rowsOf([second(TO, 'auth.sendCode:ip', counts)]));
  expect(shown.map(rowKey)).toContain('auth.sendCode:email');
});

test('policies at their limits come before busier ones: full windows, and refusals of the last ten seconds', () => {
  const rows = rowsOf(
    [
      second(TO, 'merchant:ip', { admitted: 90 }),
      second(TO - 30_000, 'claim:user', { admitted: 10, refused: 10 }),
    ],
    [],
    ['claim:user'],
  );
  expect(rows.slice(2, 4).map(rowKey)).toEqual(['claim:user', 'merchant:ip']);
});

test('a window that stays full without calls comes after levels with calls', () => {
  const history = [second(TO, 'merchant:ip', { admitted: 1 })];
  const rows = rowsOf(history, [], ['claim:user']);
  expect(rows.slice(2, 4).map(rowKey)).toEqual(['merchant:ip', 'claim:user']);
  expect(rows[3]?.isQuiet).toBe(false);
});

test('the peak of a row is its busiest second, as in the chart, and not an average', () => {
  const rows = rowsOf([
    second(TO - 61_000, 'claim:user', { admitted: 40 }),
    second(TO - 60_000, 'claim:user', { admitted: 40 }),
    second(TO - 30_000, 'claim:user', { admitted: 20, refused: 6, banned: 20 }),
    second(TO - 600_000, 'claim:user', { admitted: 900 }),
  ]);
  expect(findRow(rows, 'claim:user')?.peakPerSecond).toBe(46);
  expect(findRow(rows, 'merchant:ip')?.peakPerSecond).toBe(0);
});

test('policies with the same shown rate are in the order of their names', () => {
  const rows = rowsOf([
    second(TO, 'merchant:ip', { admitted: 1_204 }),
    second(TO, 'claim:user', { admitted: 1_201 }),
  ]);
  expect(rows.slice(2, 4).map(rowKey)).toEqual(['claim:user', 'merchant:ip']);
});

test('of policies with the same rate, the one that refuses more comes first', () => {
  const rows = rowsOf([
    second(TO, 'claim:user', { admitted: 290, refused: 8 }),
    second(TO, 'merchant:ip', { admitted: 24, refused: 274 }),
  ]);
  expect(rows.slice(2, 4).map(rowKey)).toEqual(['merchant:ip', 'claim:user']);
});

test('rates are averages of ten seconds, and blocked calls count as refused', () => {
  const rows = rowsOf([
    second(TO - 10_000, 'claim:user', { admitted: 70 }),
    second(TO - 9_000, 'claim:user', { admitted: 20, refused: 4 }),
    second(TO, 'claim:user', { admitted: 10, banned: 6 }),
    second(TO + 1_000, 'claim:user', { admitted: 70 }),
  ]);
  // (20 + 10) / 10 s, and (4 + 6) / 10 s
  expect(findRow(rows, 'claim:user')).toMatchObject({ admittedPerSecond: 3, refusedPerSecond: 1 });
});

test('the bars of ten minutes begin at full ten seconds, the newest last', () => {
  const rows = rowsOf([
    second(TO - 600_000, 'claim:user', { admitted: 70 }),
    second(TO - 11_000, 'claim:user', { admitted: 4 }),
    second(TO - 10_000, 'claim:user', { admitted: 20, refused: 4 }),
    second(TO - 1_000, 'claim:user', { admitted: 1, banned: 2 }),
    second(TO, 'claim:user', { refused: 9 }),
  ]);
  const row = findRow(rows, 'claim:user');
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
    point(TO, { 'coupon.seckill': 3 }),
  ];
  const rows = listLevelRows({ policies, history, to: TO, attention: new Set(), full: new Set() });
  const shares = Object.fromEntries(rows.map((row) => [rowKey(row), row.timeShare]));
  expect(shares).toEqual({
    ...{ 'claim:user': 0.25, 'coupon.seckill:user': 0.75, 'coupon.seckill:global': 0.75 },
    ...{ 'merchant:ip': undefined, 'auth.sendCode:email': undefined, 'auth.sendCode:ip': undefined },
  });
});

test('one row of a policy with several levels shows its share, so that the shares add up to 100 %', () => {
  const rows = rowsOf([
    second(TO, 'coupon.seckill:user', { admitted: 1 }),
    second(TO, 'coupon.seckill:global', { admitted: 1, refused: 1 }),
  ]);
  expect(rows.filter((row) => row.isFirstOfPolicy).map(rowKey)).toEqual([
    ...['coupon.seckill:global', 'auth.sendCode:email', 'claim:user', 'merchant:ip'],
  ]);
});

test('a policy without a decision for a minute folds', () => {
  const { shown, quiet } = foldQuiet(
    rowsOf([
      second(TO - 60_000, 'merchant:ip', { admitted: 1 }),
      second(TO - 59_000, 'claim:user', { admitted: 1 }),
    ]),
  );
  expect(shown.map(rowKey)).toContain('claim:user');
  expect(quiet.map(rowKey)).toContain('merchant:ip');
});

test('regression: a level with a call of the newest seconds is not quiet, as in the decision count', () => {
  const rows = rowsOf([second(TO + 2_000, 'claim:user', { admitted: 1 })]);
  expect(findRow(rows, 'claim:user')).toMatchObject({
    ...{ isQuiet: false, admittedPerSecond: 0, peakPerSecond: 0 },
  });
});

test('a level that is off, in shadow, overridden or alerting never folds', () => {
  const attention = listAttention(
    policies,
    event(
      [
        { policy: 'merchant', level: 'ip', mode: 'off' },
        { policy: 'coupon.seckill', level: 'user', mode: 'shadow' },
        { policy: 'coupon.seckill', level: 'global', limit: 50 },
      ],
      ['claim'],
    ),
  );
  expect(attention).toEqual(['claim:user', 'merchant:ip', 'coupon.seckill:user', 'coupon.seckill:global']);
  expect(foldQuiet(rowsOf([], attention)).quiet.map(rowKey)).toEqual([
    'auth.sendCode:email',
    'auth.sendCode:ip',
  ]);
});

test('before the first event, a level that was loaded in shadow needs attention', () => {
  const shadow = [{ policy: 'claim', levels: [level('user', 'shadow'), level('ip')] }];
  expect(listAttention(shadow, undefined)).toEqual(['claim:user']);
});

test('while an operator points at the table, rows keep their places, and new ones come last', () => {
  const rows = rowsOf([
    second(TO, 'claim:user', { refused: 200 }),
    second(TO, 'merchant:ip', { admitted: 90 }),
  ]);
  const { shown } = foldQuiet(rows, ['auth.sendCode:ip', 'merchant:ip']);
  expect(shown.map(rowKey)).toEqual([
    ...['auth.sendCode:ip', 'merchant:ip', 'coupon.seckill:global', 'coupon.seckill:user', 'claim:user'],
  ]);
});
