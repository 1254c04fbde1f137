import { expect, test } from 'vitest';
import { nextOrder, sortRows } from './sort-rows';

const rows = [
  { name: 'b', size: 2 },
  { name: 'none', size: undefined },
  { name: 'a', size: 2 },
  { name: 'c', size: 10 },
];
const names = (direction: 'asc' | 'desc') =>
  sortRows(rows, { sortBy: ({ size }) => size, direction }).map(({ name }) => name);

test('numbers sort by value, and equal rows keep their order in both directions', () => {
  expect(names('asc')).toEqual(['b', 'a', 'c', 'none']);
  expect(names('desc')).toEqual(['c', 'b', 'a', 'none']);
});

test('the first click on numbers shows the largest first, on texts the first one', () => {
  expect(nextOrder(undefined, { id: 'size', kind: 'number' })).toEqual({ id: 'size', direction: 'desc' });
  expect(nextOrder(undefined, { id: 'name' })).toEqual({ id: 'name', direction: 'asc' });
  const sparkline = { id: 'size', sortFirst: 'desc' } as const;
  expect(nextOrder(undefined, sparkline)).toEqual({ id: 'size', direction: 'desc' });
});

test('the second click on a column turns its direction', () => {
  const once = nextOrder(undefined, { id: 'name' });
  expect(nextOrder(once, { id: 'name' })).toEqual({ id: 'name', direction: 'desc' });
  expect(nextOrder(nextOrder(once, { id: 'name' }), { id: 'name' })).toEqual(once);
});
