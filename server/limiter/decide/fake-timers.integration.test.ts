import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { redisClients } from '../../../test/limiter-clients';
import { freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';

const secret = 'a secret of at least 32 characters';
const policy = definePolicy({
  name: 'greet',
  levels: [{ level: 'user', limit: 2, windowMs: 60_000 }],
});

afterEach(() => vi.useRealTimers());

// node-redis calls `setImmediate` itself, so it needs `doNotFake`.
const clients = redisClients.filter(({ client }) => !client.includes('node-redis'));

describe.each(clients)('$client', ({ connect }) => {
  test('with fake timers, calls one by one and at once are decided', async () => {
    const { store, close } = await connect(await redisUrl());
    onTestFinished(close);
    vi.useFakeTimers();
    const limiter = createLimiter({ store, secret, prefix: freshPrefix() });
    const check = async () => (await limiter.check(policy, { user: 'ada' })).allowed;
    expect([await check(), await check(), await check()]).toEqual([true, true, false]);
    const calls = ['bob', 'cyd', 'dan'].map((user) => limiter.check(policy, { user }));
    expect((await Promise.all(calls)).every(({ allowed }) => allowed)).toBe(true);
  });
});

test('in memory, with microtasks faked as by Jest, calls are decided, and the system time moves windows and cached denials', async () => {
  const toFake = ['Date', 'performance', 'setTimeout', 'setImmediate', 'queueMicrotask'] as const;
  vi.useFakeTimers({ toFake: [...toFake] });
  const limiter = createLimiter({ store: memoryStore(), secret });
  const check = () => limiter.check(policy, { user: 'ada' });
  expect([(await check()).allowed, (await check()).allowed]).toEqual([true, true]);
  expect(await check()).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
  vi.setSystemTime(Date.now() + 59_999);
  expect(await check()).toMatchObject({ allowed: false, retryAfterMs: 1 });
  vi.setSystemTime(Date.now() + 1);
  expect(await check()).toMatchObject({ allowed: true });
});

test('in a runtime without setImmediate, calls at once are decided', async () => {
  vi.stubGlobal('setImmediate', undefined);
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  const { createLimiter: createOther } = await import('../limiter');
  const { memoryStore: createStore } = await import('../stores/memory-store');
  const limiter = createOther({ store: createStore(), secret });
  const first = limiter.check(policy, { user: 'ada' });
  await Promise.resolve();
  const others = ['bob', 'cyd'].map((user) => limiter.check(policy, { user }));
  expect((await Promise.all([first, ...others])).every(({ allowed }) => allowed)).toBe(true);
});
