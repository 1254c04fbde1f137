import { expect, test } from 'vitest';
import { isFast } from '../../../test/is-fast';
import { createOverrides } from '../policy/overrides';
import { resolvePolicy } from '../policy/resolve-policy';
import { createKeys } from './key';
import { createLocalWindows } from './local-window';

const overrides = createOverrides({ onWarning: () => undefined });
const callKeys = createKeys({ prefix: '', secret: 'a secret of at least 32 characters' });

function setUp({ limit, windowMs, cost = 1 }: { limit: number; windowMs: number; cost?: number }) {
  const policy = overrides.apply(
    resolvePolicy(
      { name: 'local', levels: [{ level: 'user', limit, windowMs }], message: { en: 'No.' }, cost },
      'local',
    ),
  );
  const windows = createLocalWindows();
  const call = (now: number, { subject = 'ada', nodes = 1 } = {}) => {
    const keys = callKeys.of(policy, [subject]);
    return windows.decide(policy, { keys, levelIndexes: [0], cost, now, nodes });
  };
  return { call };
}

test('no window exceeds the share, wherever it begins', () => {
  const { call } = setUp({ limit: 20, windowMs: 1_000 });
  const admitted: number[] = [];
  for (let now = 0; now < 5_000; now += 7) if (call(now, { nodes: 2 }).allowed) admitted.push(now);
  for (const end of admitted) {
    expect(admitted.filter((at) => at > end - 1_000 && at <= end).length).toBeLessThanOrEqual(10);
  }
  expect(admitted.length).toBeGreaterThanOrEqual(40);
});

test('a refused call is admitted after retryAfterMs, and not a millisecond earlier', () => {
  const { call } = setUp({ limit: 2, windowMs: 1_000 });
  call(105);
  call(317);
  const refused = call(400);
  // The first call is in the part from 100 to 109, which leaves the window as a whole.
  expect(refused).toMatchObject({
    allowed: false,
    degraded: true,
    refusedBy: { used: 2, retryAfterMs: 709 },
  });
  expect(call(1_108)).toMatchObject({ allowed: false, refusedBy: { retryAfterMs: 1 } });
  expect(call(1_109).allowed).toBe(true);
});

test('a clock that steps back admits no additional call', () => {
  const { call } = setUp({ limit: 1, windowMs: 1_000 });
  expect(call(10_000).allowed).toBe(true);
  expect(call(9_500).allowed).toBe(false);
});

test('a subject with a million units takes a hundred numbers, and constant time per call', () => {
  const { call } = setUp({ limit: 1_000_000, windowMs: 60_000 });
  for (let calls = 0; calls < 50_000; calls += 1) call(Math.floor(calls / 10));
  expect(call(5_000)).toMatchObject({ levels: [{ used: 50_001 }] });
  const callTenTimes = () => Array.from({ length: 10 }, () => call(5_000));
  // A hundred numbers take 1 ms for ten calls; 50,000 take 50 ms at least.
  expect(isFast(callTenTimes, { limitMs: 10 })).toBe(true);
});

test('a call that costs more than the share is admitted one at a time', () => {
  const { call } = setUp({ limit: 100, windowMs: 1_000, cost: 25 });
  expect(call(0, { nodes: 10 }).allowed).toBe(true);
  expect(call(0, { nodes: 10 }).allowed).toBe(false);
});
