import { expect, test } from 'vitest';
import { auditChanges } from './audit-changes';

test('only what differs was changed, and counters do not count', () => {
  const before = { limit: 100, mode: 'enforce', version: 1, title: { en: 'Tea', zh: '茶' } };
  const after = { limit: 50, mode: 'enforce', version: 2, title: { en: 'Tea', zh: '茶' } };
  expect(auditChanges({ before, after })).toEqual([{ field: 'limit', before: 100, after: 50 }]);
});

test('what was not set before, or is not any more, is undefined there', () => {
  expect(auditChanges({ before: { limit: 100 }, after: { windowMs: 5 } })).toEqual([
    { field: 'limit', before: 100, after: undefined },
    { field: 'windowMs', before: undefined, after: 5 },
  ]);
});
