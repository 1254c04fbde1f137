import { expect, test } from 'vitest';
import { createBlankFields, findConflict, parseCents, toCouponInput, toFields } from './coupon-form';

const coupon = {
  id: 'tea',
  merchantId: 'tea-house',
  merchantName: { en: 'Tea house', zh: '茶馆' },
  category: { en: 'Tea', zh: '茶' },
  kind: 'seckill' as const,
  title: { en: 'Tea', zh: '茶' },
  faceValueCents: 2_000,
  priceCents: 1_205,
  stock: { total: 100, sold: 3 },
  sold: 3,
  startsAt: new Date(2026, 2, 5, 9, 7).getTime(),
  endsAt: new Date(2026, 10, 25, 23, 0).getTime(),
  revision: 0,
  createdAt: 0,
};

test('form fields convert back to the same coupon', () => {
  const { merchantId, kind, title, faceValueCents, priceCents, startsAt, endsAt } = coupon;
  const input = { merchantId, kind, title, faceValueCents, priceCents, startsAt, endsAt, stock: 100 };
  expect(toCouponInput(toFields(coupon))).toEqual(input);
});

test('money and instants are formatted for input', () => {
  expect(toFields(coupon)).toMatchObject({
    faceValue: '20',
    price: '12.05',
    startsAt: '2026-03-05T09:07',
    endsAt: '2026-11-25T23:00',
  });
});

test('a claim is sent without stock', () => {
  expect(toCouponInput({ ...toFields(coupon), kind: 'claim' })).not.toHaveProperty('stock');
});

test.each([
  ['12', 1_200],
  ['12.5', 1_250],
  [' 12,05 ', 1_205],
  ['0', 0],
  ['', Number.NaN],
  ['12.345', Number.NaN],
  ['-1', Number.NaN],
  ['1e3', Number.NaN],
])('%j is %d cents', (text, cents) => expect(parseCents(text)).toBe(cents));

test('a new sale opens five minutes after the next full minute, for a day', () => {
  const now = new Date(2026, 2, 5, 9, 7, 30).getTime();
  expect(createBlankFields({ merchantId: 'a', now })).toMatchObject({
    startsAt: '2026-03-05T09:13',
    endsAt: '2026-03-06T09:13',
  });
});

test.each([
  ['price', { priceCents: 2_001 }, 'over-worth'],
  ['price', { priceCents: 2_000 }, undefined],
  ['faceValue', { faceValueCents: 0 }, 'too-small'],
  ['stock', { stock: 0 }, 'too-small'],
  ['endsAt', { endsAt: coupon.startsAt }, 'end-before-start'],
  ['endsAt', { endsAt: 1 }, 'end-in-past'],
  ['endsAt', {}, undefined],
] as const)('all problems appear at once: %s with %o is %s', (name, changes, code) => {
  const input = { ...toCouponInput(toFields(coupon)), now: 2, ...changes };
  expect(findConflict(name, input)?.code).toBe(code);
});
