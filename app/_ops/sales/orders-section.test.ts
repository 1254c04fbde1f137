import { expect, test } from 'vitest';
import { toShownStatus } from './orders-section';

test.each([
  ['a confirmed order with a price waits for its payment', 'confirmed', 500, 'held'],
  ['a confirmed order that is free is ready', 'confirmed', 0, 'ready'],
  ['a paid order is ready', 'paid', 500, 'ready'],
  ['a reserved order stays reserved', 'reserved', 500, 'reserved'],
  ['an expired order stays expired', 'expired', 500, 'expired'],
] as const)('%s', (_, status, priceCents, shown) => {
  expect(toShownStatus({ status, priceCents })).toBe(shown);
});
