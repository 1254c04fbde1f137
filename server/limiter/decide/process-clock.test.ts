import { expect, test, vi } from 'vitest';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import { memoryStore } from '../stores/memory-store';
import { createProcessClock } from './process-clock';

function createClocks() {
  const clocks = { monotonic: 500, wall: 1_800_000_000_000 };
  const read = createProcessClock({ monotonic: () => clocks.monotonic, wall: () => clocks.wall });
  const pass = (ms: { monotonic?: number; wall?: number }) => {
    clocks.monotonic += ms.monotonic ?? 0;
    clocks.wall += ms.wall ?? 0;
    return read() - 500;
  };
  return { pass };
}

test('it runs like the monotonic clock, and like the wall clock while the machine is suspended', () => {
  const { pass } = createClocks();
  expect(pass({ monotonic: 1_000, wall: 1_000 })).toBe(1_000);
  expect(pass({ wall: 60_000 })).toBe(61_000);
  expect(pass({ monotonic: 500, wall: 500 })).toBe(61_500);
});

test('a wall clock that is set back changes nothing, and a later suspension counts', () => {
  const { pass } = createClocks();
  expect(pass({ monotonic: 1_000, wall: -3_600_000 })).toBe(1_000);
  expect(pass({ monotonic: 1_000, wall: 1_000 })).toBe(2_000);
  expect(pass({ wall: 60_000 })).toBe(62_000);
});

test('the precision of the wall clock does not add up', () => {
  const clocks = { monotonic: 0 };
  const read = createProcessClock({
    monotonic: () => clocks.monotonic,
    wall: () => Math.floor(clocks.monotonic) + (Math.round(clocks.monotonic * 10) % 2),
  });
  for (let step = 0; step < 10_000; step += 1) {
    clocks.monotonic += 0.3;
    read();
  }
  expect(read() - clocks.monotonic).toBeLessThanOrEqual(2);
});

test('a cached denial ends with the time for which the machine was suspended', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { clock: _clock, ...store } = memoryStore();
    const limiter = createLimiter({ store, secret: 'a secret of at least 32 characters' });
    const levels = [{ level: 'global' as const, limit: 1, windowMs: 60_000 }];
    const policy = resolvePolicy({ name: 'test', levels, message: { en: 'Too many.' } }, 'test');
    const decide = async () => (await limiter.decide(policy, { subjects: {} })).allowed;
    expect([await decide(), await decide()]).toEqual([true, false]);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await decide()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
