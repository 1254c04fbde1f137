import { expect, test } from 'vitest';
import { createLiveGates } from './live-gates';

const open = { startsAt: 1_000, endsAt: 2_000, remaining: 1, isStale: false };

test.each([
  ['before its start', open, 999, false],
  ['at its start', open, 1_000, true],
  ['before its end', open, 1_999, true],
  ['at its end', open, 2_000, false],
  ['sold out', { ...open, remaining: 0 }, 1_500, false],
  ['of a claim coupon', { ...open, remaining: null }, 1_500, false],
  ['older than what this node has seen', { ...open, isStale: true }, 1_500, false],
  ['without a state', undefined, 1_500, false],
] as const)('a gate %s', (_what, gate, now, isSelling) => {
  const live = createLiveGates();
  live.observe('coupon', { ...open });
  live.observe('coupon', gate);
  expect(live.isSelling('coupon', now)).toBe(isSelling);
});

test('a gate that was never read sells nothing, and is paused', () => {
  const live = createLiveGates();
  expect(live.isSelling('coupon', 1_500)).toBe(false);
  expect(live.isPaused('coupon')).toBe(true);
});

test.each([
  ['open', open, false],
  ['sold out', { ...open, remaining: 0 }, false],
  ['older than what this node has seen', { ...open, isStale: true }, true],
  ['without a state', undefined, true],
] as const)('a gate that is %s', (_what, gate, isPaused) => {
  const live = createLiveGates();
  live.observe('coupon', gate);
  expect(live.isPaused('coupon')).toBe(isPaused);
});

test('a reply of the gate holds until its state is read again', () => {
  const live = createLiveGates();
  live.observeReply('coupon', 'could-buy');
  expect(live.isSelling('coupon', 5_000)).toBe(true);
  live.observe('coupon', { ...open });
  expect(live.isSelling('coupon', 5_000)).toBe(false);
  live.observeReply('coupon', 'sold-out');
  expect(live.isSelling('coupon', 1_500)).toBe(false);
});
