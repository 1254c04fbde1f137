import { expect, it } from 'vitest';
import { leased, mostAsked, mostNodes, mostOfOneKey } from './capacity.mjs';

it('one key bears what 0.7 of a core decides', () => {
  // 0.7 s of processor time in a second, 7 µs each.
  expect(mostOfOneKey(7)).toBeCloseTo(100_000);
});

it('a full window is asked by those whom it admits and by four of each node at each reopening', () => {
  // 10 a second × (1 + 4 × 100)
  expect(mostAsked({ limit: 100, windowMs: 10_000, nodes: 100 })).toBe(4_010);
});

it('the last node is the one whose probes still fit', () => {
  const window = { limit: 100, windowMs: 10_000 };
  const nodes = mostNodes({ ...window, redisUs: 7 });
  expect(mostAsked({ ...window, nodes })).toBeLessThanOrEqual(100_000);
  expect(mostAsked({ ...window, nodes: nodes + 1 })).toBeGreaterThan(100_000);
});

it('a lease asks once for its share, of a window that is longer by the lease', () => {
  // 5 % of 1 000 000 over 100 nodes: 500 at a time; 1 000 000 in 10.5 s: 95 238 a second.
  expect(leased({ limit: 1_000_000, windowMs: 10_000, leaseMs: 500, nodes: 100, idle: 0.05 })).toEqual({
    share: 500,
    usablePerSecond: expect.closeTo(95_238.1, 1),
    asksPerSecond: expect.closeTo(190.5, 1),
    efficiency: expect.closeTo(0.952, 3),
  });
});
