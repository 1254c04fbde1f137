import { expect, test } from 'vitest';
import { findLayersPreset, floods, generateLayeredCalls, layers } from './layered-calls';

test('a call passes the gateway first and the limit of its user last', () => {
  expect(layers).toEqual(['gateway', 'api', 'user']);
});

test.each([
  ['one-caller', 1, 1],
  ['many-addresses', 20, 1],
  ['one-address', 1, 40],
  ['everyone', 60, 60],
  ['crowd', 1, 131],
] as const)('%s: calls from %i addresses by %i users', (flood, addresses, users) => {
  const calls = generateLayeredCalls(flood);
  expect(new Set(calls.map(([, address]) => address)).size).toBe(addresses);
  expect(new Set(calls.map(([, , user]) => user)).size).toBe(users);
});

test('all floods but the crowd have the same arrival times', () => {
  const [first, ...others] = floods
    .filter((flood) => flood !== 'crowd')
    .map((flood) => generateLayeredCalls(flood).map(([at]) => at));
  for (const other of others) expect(other).toEqual(first);
});

test('in the crowd only the greedy user exceeds the limit of a user, and all together that of the API', () => {
  const { limits } = findLayersPreset('three-levels');
  const perUser = new Map<number, number>();
  for (const [, , user] of generateLayeredCalls('crowd')) perUser.set(user, (perUser.get(user) ?? 0) + 1);
  expect([...perUser].filter(([, calls]) => calls > limits.user)).toEqual([[0, 30]]);
  expect(generateLayeredCalls('crowd').length).toBeGreaterThan(limits.api);
  // A request body has at most 32 KiB.
  expect(JSON.stringify(generateLayeredCalls('crowd')).length).toBeLessThan(24_000);
});
