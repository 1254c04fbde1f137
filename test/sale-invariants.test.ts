import { expect, test } from 'vitest';
import { type SettledSale, saleInvariants } from './sale-invariants';

const consistent: SettledSale = {
  total: 3,
  sold: 2,
  remaining: 1,
  reserved: 0,
  confirmed: [
    { id: 'one', userId: 'ada' },
    { id: 'two', userId: 'bob' },
  ],
};
const broken = (sale: Partial<SettledSale>, seen = ['one', 'two', 'one']) =>
  saleInvariants({ ...consistent, ...sale }, { seen })
    .filter(({ holds }) => !holds)
    .map(({ rule }) => rule);

test('a consistent sale breaks no rule', () => {
  expect(broken({})).toEqual([]);
});

test.each([
  {
    description: 'more confirmed orders than stock',
    sale: { total: 1, remaining: -1 },
    rule: 'confirmed ≤ stock',
  },
  {
    description: 'orders that the coupon row does not count',
    sale: { sold: 1, remaining: 2 },
    rule: 'confirmed ≤ stock',
  },
  {
    description: 'two orders of one shopper',
    sale: { confirmed: consistent.confirmed.map(({ id }) => ({ id, userId: 'ada' })) },
    rule: 'one order per shopper',
  },
  {
    description: 'a confirmation without an order',
    sale: {},
    seen: ['three'],
    rule: 'every confirmation seen is in Postgres',
  },
  { description: 'a missing piece', sale: { remaining: 0 }, rule: 'remaining + reserved + sold = total' },
])('$description breaks the rule $rule', ({ sale, seen, rule }) => {
  expect(broken(sale, seen)).toEqual([rule]);
});
