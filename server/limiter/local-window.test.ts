import { expect, test } from 'vitest';
import { keysOf } from './key';
import { createLocalWindows } from './local-window';
import { createOverrides } from './overrides';
import { resolvePolicy } from './policy';
import { createPseudonyms } from './pseudonym';

/** How many of 20 calls this node admits at once. */
function admitted({ limit, cost = 1, nodes }: { limit: number; cost?: number; nodes: number }): number {
  const declared = resolvePolicy(
    {
      levels: [{ level: 'ip', limit, windowMs: 1_000 }],
      message: { en: 'Too many.' },
      onStoreError: 'local',
      cost,
    },
    'look',
  );
  const policy = createOverrides({ onWarning: expect.unreachable }).of(declared);
  const keys = keysOf(policy, ['192.0.2.1'], { prefix: '', pseudonymOf: createPseudonyms('test') });
  const windows = createLocalWindows();
  const calls = Array.from({ length: 20 }, () =>
    windows.decide(policy, { keys, places: [0], now: 0, nodes }),
  );
  return calls.filter(({ allowed }) => allowed).length;
}

test.each([
  ['a third of 10, rounded down', { limit: 10, nodes: 3 }, 3],
  // 98 x (1 / 49) is 1.999… in floating point.
  ['a 49th of 98', { limit: 98, nodes: 49 }, 2],
  ['one call where the share is less', { limit: 3, nodes: 10 }, 1],
  ['one call where the share is less than a call costs', { limit: 100, cost: 25, nodes: 10 }, 1],
  ['as many calls as their cost fits in', { limit: 100, cost: 25, nodes: 2 }, 2],
])('a node alone admits %s', (_what, policy, calls) => {
  expect(admitted(policy)).toBe(calls);
});
