import { expect, test } from 'vitest';
import { PROBES as guardProbes } from '../../server/limiter/decide/probe-guard';
import { maxDecisionsPerKey, maxNodes, maxStoreCalls, PROBES, planLeases } from './capacity.mjs';

test('one key handles the decisions of 0.7 of a core', () => {
  // 0.7 s of processor time in a second, 7 µs each.
  expect(maxDecisionsPerKey(7)).toBeCloseTo(100_000);
});

test('the plan counts as many probes as the probe guard sends', () => {
  expect(PROBES).toBe(guardProbes);
});

test('a full window gets its admitted calls and four probes of each node at each reopening', () => {
  // 10 a second × (1 + 4 × 100)
  expect(maxStoreCalls({ limit: 100, windowMs: 10_000, nodes: 100 })).toBe(4_010);
});

test('one key handles the probes of the maximum number of nodes, and of no more', () => {
  const window = { limit: 100, windowMs: 10_000 };
  const nodes = maxNodes({ ...window, redisUs: 7 });
  expect(maxStoreCalls({ ...window, nodes })).toBeLessThanOrEqual(100_000);
  expect(maxStoreCalls({ ...window, nodes: nodes + 1 })).toBeGreaterThan(100_000);
});

test('a share costs one lease, and a lease lengthens the window', () => {
  // 5 % of 1 000 000 over 100 nodes: 500 at a time; 1 000 000 in 10.5 s: 95 238 a second.
  expect(planLeases({ limit: 1_000_000, windowMs: 10_000, leaseMs: 500, nodes: 100, idle: 0.05 })).toEqual({
    share: 500,
    usablePerSecond: expect.closeTo(95_238.1, 1),
    leasesPerSecond: expect.closeTo(190.5, 1),
    efficiency: expect.closeTo(0.952, 3),
  });
});
