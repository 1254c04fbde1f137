import { expect, test } from 'vitest';
import type { Coupon } from '../_trpc/types';
import { type Arrangement, arrange } from './arrange';

const now = 10_000;

function seckill(id: string, changes: Partial<Coupon> = {}): Coupon {
  return {
    id,
    merchantId: 'm',
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
const ids = (coupons: Coupon[]) => coupons.map(({ id }) => id);
const idsOf = ({ flash, claims, over }: Arrangement) => ({
  flash: ids(flash),
  claims: ids(claims),
  over: ids(over),
});

test('live ones stand first, the scarcest of them at the gate, then those that start', () => {
  const arrangement = arrange(
    [
      seckill('later', { startsAt: now + 9_000 }),
      seckill('plenty', { stock: { total: 10_000, remaining: 10_000 } }),
      seckill('soon', { startsAt: now + 1_000 }),
      seckill('scarce'),
      seckill('gone', soldOut),
      seckill('ended', { endsAt: now }),
      seckill('voucher', { kind: 'claim', stock: null }),
    ],
    now,
  );
  expect(idsOf(arrangement)).toEqual({
    flash: ['scarce', 'plenty', 'soon', 'later'],
    claims: ['voucher'],
    over: ['gone', 'ended'],
  });
});

test('one that has become the scarcest while one watches does not take the gate', () => {
  const before = arrange([seckill('a'), seckill('b')], now);
  const after = arrange([seckill('a'), seckill('b', { stock: { total: 100, remaining: 1 } })], now, before);
  expect(ids(after.flash)).toEqual(['a', 'b']);
});

test('what waits stands at the gate where nothing is live', () => {
  const coupons = [seckill('gone', soldOut), seckill('soon', { startsAt: now + 1_000 })];
  expect(idsOf(arrange(coupons, now))).toEqual({ flash: ['soon'], claims: [], over: ['gone'] });
});

test('the one that was over last stands at the gate where nothing is to come', () => {
  const coupons = [seckill('ended', { endsAt: now }), seckill('gone', { ...soldOut, startsAt: 1_000 })];
  expect(idsOf(arrange(coupons, now))).toEqual({ flash: ['gone'], claims: [], over: ['ended'] });
});

test('a coupon that sells out while one watches keeps its place', () => {
  const before = arrange([seckill('a'), seckill('b')], now);
  const after = arrange([seckill('a', soldOut), seckill('b'), seckill('c')], now, before);
  expect(idsOf(after)).toEqual({ flash: ['a', 'b', 'c'], claims: [], over: [] });
});

test('the next round takes the place of the one before', () => {
  const first = seckill('a-1', { title: 'A' });
  const before = arrange([first, seckill('b')], now);
  const second = seckill('a-2', { title: 'A', startsAt: now + 5_000 });
  const after = arrange([{ ...first, ...soldOut }, seckill('b'), second], now, before);
  expect(idsOf(after)).toEqual({ flash: ['a-2', 'b'], claims: [], over: ['a-1'] });
});
