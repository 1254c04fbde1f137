import { expect, test } from 'vitest';
import { diffLimit, toLargestUnit } from './limit-values';

const effective = { limit: 100, windowMs: 10_000 };
const level = { effective, mode: 'enforce' } as const;

test.each([
  ['nothing', {}, undefined],
  ['a limit', { limit: 50 }, { limit: 50 }],
  ['a window', { windowMs: 60_000 }, { windowMs: 60_000 }],
  ['a mode', { mode: 'shadow' as const }, { mode: 'shadow' }],
])('a change of %s sends only that', (_what, typed, change) =>
  expect(diffLimit({ ...effective, mode: 'enforce', ...typed }, level)).toEqual(change),
);

test.each([
  [10_000, 10, 's'],
  [60_000, 1, 'min'],
  [90_000, 90, 's'],
  [7_200_000, 2, 'h'],
  [250, 250, 'ms'],
  [0, 0, 'ms'],
])('%d ms are shown as %d %s', (ms, amount, unit) => expect(toLargestUnit(ms)).toEqual({ amount, unit }));
