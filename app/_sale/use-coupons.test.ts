import { expect, test } from 'vitest';
import type { Coupon, Order } from '../_trpc/types';
import { type CouponGroups, groupCoupons } from './use-coupons';

const now = 10_000;

function seckill(id: string, changes: Partial<Coupon> = {}): Coupon {
  return {
    id,
    merchantId: 'm',
    merchant: { name: 'M', category: 'Food', address: 'Road 1' },
    kind: 'seckill',
    title: id,
    faceValueCents: 2_000,
    priceCents: 0,
    stock: { total: 100, remaining: 100 },
    startsAt: 0,
    endsAt: 100_000,
    state: 'live',
    ...changes,
  };
}

const soldOut = { stock: { total: 100, remaining: 0 }, state: 'sold-out' } as const;
/** Returns a list with coupons at that instant. */
const at = (coupons: Coupon[]) => ({ coupons, serverNow: now });
const ids = (coupons: Coupon[]) => coupons.map(({ id }) => id);
const idsOf = ({ flash, claims, ended }: CouponGroups) => ({
  flash: ids(flash),
  claims: ids(claims),
  ended: ids(ended),
});

test('live coupons come first, the one with the largest saving is featured, then upcoming ones', () => {
  const groups = groupCoupons(
    at([
      seckill('later', { startsAt: now + 9_000 }),
      seckill('dearer', { priceCents: 500 }),
      seckill('soon', { startsAt: now + 1_000 }),
      seckill('cheaper', { priceCents: 100 }),
      seckill('gone', soldOut),
      seckill('ended', { endsAt: now }),
      seckill('voucher', { kind: 'claim', stock: null }),
    ]),
  );
  expect(idsOf(groups)).toEqual({
    flash: ['cheaper', 'dearer', 'soon', 'later'],
    claims: ['voucher'],
    ended: ['gone', 'ended'],
  });
});

test('a coupon whose saving becomes the largest does not replace the featured one', () => {
  const before = groupCoupons(at([seckill('a'), seckill('b')]));
  const after = groupCoupons(at([seckill('a'), seckill('b', { faceValueCents: 3_000 })]), [], before);
  expect(ids(after.flash)).toEqual(['a', 'b']);
});

test('an upcoming coupon is featured if none is live', () => {
  const coupons = [seckill('gone', soldOut), seckill('soon', { startsAt: now + 1_000 })];
  expect(idsOf(groupCoupons(at(coupons)))).toEqual({ flash: ['soon'], claims: [], ended: ['gone'] });
});

test('the last coupon to open is featured if none is live or upcoming', () => {
  const coupons = [seckill('ended', { endsAt: now }), seckill('gone', { ...soldOut, startsAt: 1_000 })];
  expect(idsOf(groupCoupons(at(coupons)))).toEqual({ flash: ['gone'], claims: [], ended: ['ended'] });
});

test('a coupon that sells out keeps its position', () => {
  const before = groupCoupons(at([seckill('a'), seckill('b')]));
  const after = groupCoupons(at([seckill('a', soldOut), seckill('b'), seckill('c')]), [], before);
  expect(idsOf(after)).toEqual({ flash: ['a', 'b', 'c'], claims: [], ended: [] });
});

test('the next round replaces the previous one, which is not shown below it', () => {
  const first = seckill('a-1', { title: 'A' });
  const before = groupCoupons(at([first, seckill('b')]));
  const second = seckill('a-2', { title: 'A', startsAt: now + 5_000 });
  const after = groupCoupons(at([{ ...first, ...soldOut }, seckill('b'), second]), [], before);
  expect(idsOf(after)).toEqual({ flash: ['a-2', 'b'], claims: [], ended: [] });
});

test('a coupon that the viewer must pay is featured, also when it is over', () => {
  const coupons = [seckill('live'), seckill('held', { endsAt: now }), seckill('paid', { endsAt: now })];
  const order: Order = { id: 'o', couponId: 'held', userId: 'u', status: 'confirmed', createdAt: 1_000 };
  const orders = [
    { ...order, holdUntil: 90_000 },
    { ...order, couponId: 'paid', status: 'paid' as const },
  ];
  expect(idsOf(groupCoupons(at(coupons), orders))).toEqual({
    flash: ['held', 'live'],
    claims: [],
    ended: ['paid'],
  });
});

test('a coupon that the viewer grabs does not replace the featured one', () => {
  const coupons = [seckill('a'), seckill('b')];
  const order: Order = { id: 'o', couponId: 'b', userId: 'u', status: 'confirmed', createdAt: 1_000 };
  const before = groupCoupons(at(coupons));
  const after = groupCoupons(at(coupons), [{ ...order, holdUntil: 90_000 }], before);
  expect(ids(after.flash)).toEqual(['a', 'b']);
});
