import { expect, test } from 'vitest';
import { toRule } from './person-dialog';

const level = { effective: { limit: 5, windowMs: 10_000 } };
const fields = { limit: 20, amount: 10, unit: 's' as const };

test.each([
  ['numbers', fields, { kind: 'numbers', limit: 20 }],
  [
    'numbers',
    { ...fields, amount: 1, unit: 'min' as const },
    { kind: 'numbers', limit: 20, windowMs: 60_000 },
  ],
  ['exempt', fields, { kind: 'exempt' }],
  ['deny', { ...fields, amount: 2, unit: 'h' as const }, { kind: 'deny', until: 7_201_000 }],
] as const)('%s: the rule has only what differs from the level', (kind, typed, rule) => {
  expect(toRule({ kind, ...typed }, { level, now: 1_000 })).toEqual(rule);
});
