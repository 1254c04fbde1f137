import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors';
import {
  applyCouponFieldsChange,
  type CouponFields,
  type CouponFieldsChange,
  checkCouponFields,
} from './coupon-fields';

const NOW = 1_000_000;

const upcoming: CouponFields = {
  merchantId: 'kiln',
  kind: 'seckill',
  title: { en: 'A bowl', zh: '一碗' },
  faceValueCents: 5_000,
  priceCents: 990,
  stock: 50,
  startsAt: NOW + 1_000,
  endsAt: NOW + 9_000,
};
const running: CouponFields = { ...upcoming, startsAt: NOW };
const claim: CouponFields = { ...upcoming, kind: 'claim', stock: null };

/** The refused field, or `nothing`. */
function refusedField(make: () => CouponFields): string {
  try {
    make();
  } catch (error) {
    if (error instanceof AppError && error.code === 'BAD_REQUEST') return error.problem?.field ?? '';
    throw error;
  }
  return 'nothing';
}

describe('valid fields', () => {
  const cases: [what: string, fields: Partial<CouponFields>, refused: string][] = [
    ['a seckill with a stock', {}, 'nothing'],
    ['a seckill without a stock', { stock: null }, 'stock'],
    ['a claim with a stock', { kind: 'claim' }, 'stock'],
    ['a claim without a stock', { kind: 'claim', stock: null }, 'nothing'],
    ['a price equal to the face value', { priceCents: 5_000 }, 'nothing'],
    ['a price above the face value', { priceCents: 5_001 }, 'priceCents'],
    ['an end at the start', { endsAt: upcoming.startsAt }, 'endsAt'],
    ['an end in the past', { startsAt: 0, endsAt: NOW }, 'endsAt'],
    ['a start in the past', { startsAt: 0 }, 'nothing'],
  ];
  test.each(cases)('%s', (_what, fields, refused) => {
    expect(refusedField(() => checkCouponFields({ ...upcoming, ...fields }, { now: NOW }))).toBe(refused);
  });
});

describe('allowed changes of a coupon', () => {
  const cases: [what: string, before: CouponFields, change: CouponFieldsChange, refused: string][] = [
    ['before the start: the start', upcoming, { startsAt: NOW + 5_000 }, 'nothing'],
    ['before the start: the start to the past', upcoming, { startsAt: NOW - 1 }, 'nothing'],
    ['before the start: less stock', upcoming, { stock: 1 }, 'nothing'],
    ['before the start: the price', upcoming, { priceCents: 1 }, 'nothing'],
    [
      'before the start: a seckill becomes a claim, and its stock goes',
      upcoming,
      { kind: 'claim' },
      'nothing',
    ],
    ['before the start: a claim becomes a seckill without a stock', claim, { kind: 'seckill' }, 'stock'],
    ['running: the title', running, { title: { en: 'B', zh: '乙' } }, 'nothing'],
    ['running: a later end', running, { endsAt: NOW + 99_000 }, 'nothing'],
    ['running: an end in the past', running, { endsAt: NOW }, 'endsAt'],
    ['running: more stock by addStock', running, { addStock: 10 }, 'nothing'],
    ['running: the stock', running, { stock: 60 }, 'stock'],
    ['running: the stock, as it is', running, { stock: 50 }, 'nothing'],
    ['running: the start', running, { startsAt: NOW + 5_000 }, 'startsAt'],
    ['running: the price', running, { priceCents: 1 }, 'priceCents'],
    ['running: the merchant', running, { merchantId: 'other' }, 'merchantId'],
    ['running: the kind', running, { kind: 'claim' }, 'kind'],
    ['both stock and addStock', upcoming, { stock: 60, addStock: 1 }, 'addStock'],
    ['addStock to a claim', claim, { addStock: 1 }, 'addStock'],
    ['more than a million pieces in all', upcoming, { addStock: 1_000_000 }, 'stock'],
    ['anything, once it has ended', { ...running, endsAt: NOW }, { title: { en: 'B', zh: '乙' } }, 'id'],
  ];
  test.each(cases)('%s', (_what, before, change, refused) => {
    expect(refusedField(() => applyCouponFieldsChange(before, change, { now: NOW, sold: 0 }))).toBe(refused);
  });

  test('sold units stay sold: no stock below them, no other kind', () => {
    const facts = { now: NOW, sold: 3 };
    expect(refusedField(() => applyCouponFieldsChange(upcoming, { stock: 2 }, facts))).toBe('stock');
    expect(refusedField(() => applyCouponFieldsChange(upcoming, { stock: 3 }, facts))).toBe('nothing');
    expect(refusedField(() => applyCouponFieldsChange(upcoming, { kind: 'claim' }, facts))).toBe('kind');
  });

  test('addStock adds to the stock, and absent fields stay', () => {
    expect(
      applyCouponFieldsChange(running, { addStock: 10, endsAt: undefined }, { now: NOW, sold: 50 }),
    ).toEqual({
      ...running,
      stock: 60,
    });
  });
});
