import { expect, test } from 'vitest';
import { diffLimit, type LimitFields } from './limit-change';

const inForce = { effective: { limit: 100, windowMs: 10_000 }, mode: 'enforce' };
const same: LimitFields = { limit: 100, amount: 10, unit: 's', mode: 'enforce', why: '' };

test.each([
  ['nothing', same, {}],
  ['a limit', { ...same, limit: 50 }, { limit: 50 }],
  ['a window, in its unit', { ...same, amount: 1, unit: 'min' as const }, { windowMs: 60_000 }],
  ['the same window in another unit', { ...same, amount: 10_000, unit: 'ms' as const }, {}],
  ['a mode', { ...same, mode: 'shadow' as const }, { mode: 'shadow' }],
])('a change of %s sends only that', (_what, fields, change) =>
  expect(diffLimit(fields, inForce)).toEqual(change),
);
