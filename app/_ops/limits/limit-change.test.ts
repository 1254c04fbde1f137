import { expect, test } from 'vitest';
import { diffLimit, type LimitFields, toLargestUnit } from './limit-change';

const level = { effective: { limit: 100, windowMs: 10_000 }, mode: 'enforce' };
const same: LimitFields = { limit: 100, amount: 10, unit: 's', mode: 'enforce', why: '' };

test.each([
  ['nothing', same, {}],
  ['a limit', { ...same, limit: 50 }, { limit: 50 }],
  ['a window, in its unit', { ...same, amount: 1, unit: 'min' as const }, { windowMs: 60_000 }],
  ['the same window in another unit', { ...same, amount: 10_000, unit: 'ms' as const }, {}],
  ['a mode', { ...same, mode: 'shadow' as const }, { mode: 'shadow' }],
])('a change of %s sends only that', (_what, fields, change) =>
  expect(diffLimit(fields, level)).toEqual(change),
);

test.each([
  [10_000, 10, 's'],
  [60_000, 1, 'min'],
  [90_000, 90, 's'],
  [7_200_000, 2, 'h'],
  [250, 250, 'ms'],
  [0, 0, 'ms'],
])('%d ms are shown as %d %s', (ms, amount, unit) => expect(toLargestUnit(ms)).toEqual({ amount, unit }));
