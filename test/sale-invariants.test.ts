import { expect, test } from 'vitest';
import { type SettledSale, saleInvariants } from './sale-invariants';

const whole: SettledSale = {
  total: 3,
  sold: 2,
  remaining: 1,
  reserved: 0,
  confirmed: [
    { id: 'one', userId: 'ada' },
    { id: 'two', userId: 'bob' },
  ],
  seen: ['one', 'two', 'one'],
};
const broken = (sale: Partial<SettledSale>) =>
  saleInvariants({ ...whole, ...sale })
    .filter(({ holds }) => !holds)
    .map(({ rule }) => rule);

test('a sale that adds up breaks no rule', () => {
  expect(broken({})).toEqual([]);
});

test.each([
  { what: 'more confirmed than there is', sale: { total: 1, remaining: -1 }, rule: 'confirmed ≤ stock' },
  {
    what: 'orders that the coupon does not count',
    sale: { sold: 1, remaining: 2 },
    rule: 'confirmed ≤ stock',
  },
  {
    what: 'two orders of one shopper',
    sale: { confirmed: whole.confirmed.map(({ id }) => ({ id, userId: 'ada' })) },
    rule: 'one order per shopper',
  },
  {
    what: 'a confirmation that is nowhere',
    sale: { seen: ['three'] },
    rule: 'every confirmation seen is in Postgres',
  },
  { what: 'a piece too few', sale: { remaining: 0 }, rule: 'remaining + reserved + sold = total' },
])('$what breaks a rule by its name', ({ sale, rule }) => {
  expect(broken(sale)).toEqual([rule]);
});
