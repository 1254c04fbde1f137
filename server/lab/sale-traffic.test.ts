import { expect, test } from 'vitest';
import type { Arrival } from '../fleet/arrival';
import { createReadSaleTraffic } from './sale-traffic';

const trafficOf = (instants: readonly number[]) => {
  const arrivals = instants.map((at): Arrival => ({ at, outcome: 'admitted', subjects: [] }));
  return createReadSaleTraffic({
    arrivals: { readRecent: async () => ({ from: 1_000, to: 9_000, arrivals }) },
  })();
};

test('arrivals are offsets from the start', async () => {
  expect(await trafficOf([1_000, 1_007])).toMatchObject({ from: 1_000, to: 9_000, arrivals: [0, 7] });
});

test('only the newest 5,000 arrivals are returned, from a time after which none is missing', async () => {
  // Two calls in each ms, one of which would be the 5,001st.
  const instants = Array.from({ length: 5_001 }, (_, index) => 2_000 + Math.ceil(index / 2));
  const { from, arrivals } = await trafficOf(instants);
  expect(from).toBe(2_001);
  expect(arrivals).toHaveLength(5_000);
  expect(arrivals.slice(0, 3)).toEqual([0, 0, 1]);
});
