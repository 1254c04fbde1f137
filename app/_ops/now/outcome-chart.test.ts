import { expect, test } from 'vitest';
import { blankIdleZeros, outcomeSeries } from './outcome-chart';

const level = { policy: 'coupon.seckill', level: 'global' };

test('every second has a value; seconds without decisions of the level are zero', () => {
  const history = [
    { at: 1_000, levels: [{ ...level, admitted: 3, refused: 2, banned: 1, degraded: 0 }] },
    { at: 3_000, levels: [{ ...level, level: 'user', admitted: 9, refused: 9, banned: 9, degraded: 9 }] },
    { at: 9_000, levels: [{ ...level, admitted: 7, refused: 7, banned: 7, degraded: 7 }] },
  ];
  expect(outcomeSeries(history, { ...level, from: 1_000, to: 3_000 })).toEqual({
    x: [1_000, 2_000, 3_000],
    admitted: [3, 0, 0],
    refused: [2, 0, 0],
    banned: [1, 0, 0],
    degraded: [0, 0, 0],
  });
});

test('without a clock there are no seconds', () => {
  expect(outcomeSeries([], { ...level, from: 0, to: -1_000 }).x).toEqual([]);
});

test('only zeros next to another number are drawn', () => {
  expect(blankIdleZeros([0, 0, 3, 0, 0, 2])).toEqual([null, 0, 3, 0, 0, 2]);
  expect(blankIdleZeros([0, 0, 0])).toEqual([null, null, null]);
});
