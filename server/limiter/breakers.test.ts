import { expect, test } from 'vitest';
import { createBreakers } from './breakers';
import { StoreUnavailableError } from './store-error';

const silent = () => Promise.reject(new StoreUnavailableError('silent'));
const answering = async () => 'answer';

function setUp(areKeysSpread: boolean) {
  const time = { now: 1 };
  const breakers = createBreakers({ areKeysSpread, maxFailures: 3, clock: () => time.now, random: () => 1 });
  const fail = async (key: string) => {
    for (let call = 0; call < 3; call += 1) await breakers.run(key, silent).catch(() => undefined);
  };
  return { time, breakers, fail };
}

test('where keys are spread, a silent part keeps nobody from asking another', async () => {
  const { breakers, fail } = setUp(true);
  await fail('limit:{merchant:3}:ip:ada');
  await expect(breakers.run('limit:{merchant:3}:ip:bob', answering)).rejects.toThrow('breaker is open');
  await expect(breakers.run('limit:{merchant:4}:ip:ada', answering)).resolves.toBe('answer');
  expect(breakers.state()).toBe('open');
});

test('a store in one piece has one breaker for all keys', async () => {
  const { breakers, fail } = setUp(false);
  await fail('limit:{merchant:3}:ip:ada');
  await expect(breakers.run('limit:{coupon.claim:4}:user:ada', answering)).rejects.toThrow('breaker is open');
});

test('a silent part that nobody has asked for ten seconds is no longer told of', async () => {
  const { time, breakers, fail } = setUp(true);
  await fail('limit:{merchant:3}:ip:ada');
  await breakers.run('limit:{merchant:4}:ip:ada', answering);
  time.now += 10_000;
  expect(breakers.state()).toBe('open');
  time.now += 1;
  expect(breakers.state()).toBe('closed');
});

test('of ever more parts the ones asked for longest ago are forgotten', async () => {
  const { breakers, fail } = setUp(true);
  await fail('{first}');
  for (let part = 0; part < 4_096; part += 1) await breakers.run(`{${part}}`, answering);
  await expect(breakers.run('{first}', answering)).resolves.toBe('answer');
});
