import { expect, test } from 'vitest';
import { createBreakers } from './breakers';
import { StoreUnavailableError } from './store-error';

const failing = () => Promise.reject(new StoreUnavailableError('no reply'));
const replying = async () => 'answer';

function setUp(areKeysSpread: boolean) {
  const time = { now: 1 };
  const breakers = createBreakers({ areKeysSpread, maxFailures: 3, clock: () => time.now, random: () => 1 });
  const fail = async (key: string) => {
    for (let call = 0; call < 3; call += 1) await breakers.run(key, failing).catch(() => undefined);
  };
  return { time, breakers, fail };
}

test('on a cluster, an open breaker does not block calls with other hash tags', async () => {
  const { breakers, fail } = setUp(true);
  await fail('limit:{merchant:3}:ip:ada');
  await expect(breakers.run('limit:{merchant:3}:ip:bob', replying)).rejects.toThrow('breaker is open');
  await expect(breakers.run('limit:{merchant:4}:ip:ada', replying)).resolves.toBe('answer');
  expect(breakers.state()).toBe('open');
});

test('a single store has one breaker for all keys', async () => {
  const { breakers, fail } = setUp(false);
  await fail('limit:{merchant:3}:ip:ada');
  await expect(breakers.run('limit:{coupon.claim:4}:user:ada', replying)).rejects.toThrow('breaker is open');
});

test('an open breaker without calls for ten seconds is no longer reported', async () => {
  const { time, breakers, fail } = setUp(true);
  await fail('limit:{merchant:3}:ip:ada');
  await breakers.run('limit:{merchant:4}:ip:ada', replying);
  time.now += 10_000;
  expect(breakers.state()).toBe('open');
  time.now += 1;
  expect(breakers.state()).toBe('closed');
});

test('the least recently used breakers are deleted', async () => {
  const { breakers, fail } = setUp(true);
  await fail('{first}');
  for (let part = 0; part < 4_096; part += 1) await breakers.run(`{${part}}`, replying);
  await expect(breakers.run('{first}', replying)).resolves.toBe('answer');
});
