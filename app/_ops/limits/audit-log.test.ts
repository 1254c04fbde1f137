import { expect, test } from 'vitest';
import { auditChanges, missingOf } from './audit-log';

test('only different fields are changes, without counters', () => {
  const before = { limit: 100, mode: 'enforce', version: 1, title: { en: 'Tea', zh: '茶' } };
  const after = { limit: 50, mode: 'enforce', version: 2, title: { en: 'Tea', zh: '茶' } };
  expect(auditChanges({ before, after })).toEqual([{ field: 'limit', before: 100, after: 50 }]);
});

test('an unset field is undefined', () => {
  expect(auditChanges({ before: { limit: 100 }, after: { windowMs: 5 } })).toEqual([
    { field: 'limit', before: 100, after: undefined },
    { field: 'windowMs', before: undefined, after: 5 },
  ]);
});

test.each([
  ['ban.lift', 'bannedUntil', 'lifted'],
  ['limit.person.lift', 'kind', 'removed'],
  ['limit.person.set', 'kind', 'declared'],
  ['limit.person.set', 'endsAt', 'notSet'],
  ['limit.reset', 'limit', 'declared'],
  ['coupon.update', 'endsAt', 'notSet'],
  ['coupon.close', 'startsAt', 'neverOpened'],
])('%s: without a value, %s is %s', (what, field, missing) => {
  expect(missingOf(what, field)).toBe(missing);
});
