import { expect, test } from 'vitest';
import { floods, generateLayeredCalls, layers } from './layered-calls';

test('a call passes the gateway first and the limit of its user last', () => {
  expect(layers).toEqual(['gateway', 'api', 'user']);
});

test.each([
  ['one-caller', 1, 1],
  ['many-addresses', 20, 1],
  ['one-address', 1, 40],
  ['everyone', 60, 60],
] as const)('%s: calls from %i addresses by %i users', (flood, addresses, users) => {
  const calls = generateLayeredCalls(flood);
  expect(new Set(calls.map(({ address }) => address)).size).toBe(addresses);
  expect(new Set(calls.map(({ user }) => user)).size).toBe(users);
});

test('all floods have the same arrival times', () => {
  const [first, ...others] = floods.map((flood) => generateLayeredCalls(flood).map(({ at }) => at));
  for (const other of others) expect(other).toEqual(first);
});
