import { expect, test } from 'vitest';
import { createBreaker } from './breaker';
import { StoreUnavailableError } from './store-error';

function setUp() {
  const time = { now: 0 };
  const breaker = createBreaker({
    maxFailures: 3,
    openMs: 100,
    maxOpenMs: 400,
    clock: () => time.now,
    random: () => 1,
  });
  let asked = 0;
  const silent = () => {
    asked += 1;
    return Promise.reject(new StoreUnavailableError('silent'));
  };
  const answering = async () => {
    asked += 1;
    return 'answer';
  };
  const fail = async (times: number) => {
    for (let time = 0; time < times; time += 1) await breaker.run(silent).catch(() => undefined);
  };
  return { time, breaker, silent, answering, fail, asked: () => asked };
}

test('after three silences in a row nobody waits', async () => {
  const { breaker, fail, answering, asked } = setUp();
  await fail(3);
  expect(breaker.state()).toBe('open');
  await expect(breaker.run(answering)).rejects.toBeInstanceOf(StoreUnavailableError);
  expect(asked()).toBe(3);
});

test('an answer between two silences begins the count anew', async () => {
  const { breaker, fail, answering } = setUp();
  await fail(2);
  await breaker.run(answering);
  await fail(2);
  expect(breaker.state()).toBe('closed');
});

test('an error that the store replied with opens nothing', async () => {
  const { breaker } = setUp();
  const cause = Object.assign(new Error('OOM'), { name: 'ReplyError' });
  for (let time = 0; time < 5; time += 1) {
    await breaker
      .run(() => Promise.reject(new StoreUnavailableError('error', { cause })))
      .catch(() => undefined);
  }
  expect(breaker.state()).toBe('closed');
});

test('when its time is over one call probes, and the others do not wait for it', async () => {
  const { time, breaker, fail, answering, asked } = setUp();
  await fail(3);
  time.now = 100;
  let answer: (value: string) => void = () => undefined;
  const probe = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
  expect(breaker.state()).toBe('half-open');
  await expect(breaker.run(answering)).rejects.toBeInstanceOf(StoreUnavailableError);
  answer('back');
  await expect(probe).resolves.toBe('back');
  expect(breaker.state()).toBe('closed');
  await breaker.run(answering);
  expect(asked()).toBe(4);
});

test('each probe that fails doubles the wait, up to the longest', async () => {
  const { time, breaker, fail, answering } = setUp();
  await fail(3);
  for (const waitMs of [100, 200, 400, 400]) {
    time.now += waitMs - 1;
    await expect(breaker.run(answering)).rejects.toThrow('breaker is open');
    time.now += 1;
    await fail(1);
  }
  time.now += 400;
  await expect(breaker.run(answering)).resolves.toBe('answer');
});
