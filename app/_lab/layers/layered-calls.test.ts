import { expect, test } from 'vitest';
import { floods, layeredCalls, layers } from './layered-calls';

test('a call meets the gateway first, its own limit last', () => {
  expect(layers).toEqual(['gateway', 'api', 'user']);
});

test.each([
  ['one-caller', 1, 1],
  ['many-addresses', 20, 1],
  ['one-address', 1, 40],
  ['everyone', 60, 60],
] as const)('%s: calls from %i addresses by %i users', (flood, addresses, users) => {
  const calls = layeredCalls(flood);
  expect(new Set(calls.map(({ address }) => address)).size).toBe(addresses);
  expect(new Set(calls.map(({ user }) => user)).size).toBe(users);
});

test('each flood is as many calls at the same instants', () => {
  const [first, ...others] = floods.map((flood) => layeredCalls(flood).map(({ at }) => at));
  for (const other of others) expect(other).toEqual(first);
});
