import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../stores/store-error';
import { createBreaker, createBreakers } from './breaker';

describe('one breaker', () => {
  function setUp() {
    const time = { now: 0 };
    const breaker = createBreaker({
      timeoutMs: 1_000,
      maxFailures: 3,
      openMs: 100,
      maxOpenMs: 400,
      clock: () => time.now,
      random: () => 1,
    });
    let sent = 0;
    const failing = () => {
      sent += 1;
      return Promise.reject(new StoreUnavailableError('no reply'));
    };
    const replying = async () => {
      sent += 1;
      return 'answer';
    };
    const fail = async (times: number) => {
      for (let time = 0; time < times; time += 1) await breaker.run(failing).catch(() => undefined);
    };
    return { time, breaker, failing, replying, fail, sent: () => sent };
  }

  test('after three calls without a reply, calls fail at once', async () => {
    const { breaker, fail, replying, sent } = setUp();
    await fail(3);
    expect(breaker.state()).toBe('open');
    await expect(breaker.run(replying)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(sent()).toBe(3);
  });

  test('a reply between two failures resets the count', async () => {
    const { breaker, fail, replying } = setUp();
    await fail(2);
    await breaker.run(replying);
    await fail(2);
    expect(breaker.state()).toBe('closed');
  });

  test('an error reply does not open the breaker', async () => {
    const { breaker } = setUp();
    const cause = Object.assign(new Error('OOM'), { name: 'ReplyError' });
    for (let time = 0; time < 5; time += 1) {
      await breaker
        .run(() => Promise.reject(new StoreUnavailableError('error', { cause })))
        .catch(() => undefined);
    }
    expect(breaker.state()).toBe('closed');
  });

  test('after its open time one call probes, and the others fail at once', async () => {
    const { time, breaker, fail, replying, sent } = setUp();
    await fail(3);
    time.now = 100;
    let answer: (value: string) => void = () => undefined;
    const probe = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    expect(breaker.state()).toBe('half-open');
    await expect(breaker.run(replying)).rejects.toBeInstanceOf(StoreUnavailableError);
    answer('back');
    await expect(probe).resolves.toBe('back');
    expect(breaker.state()).toBe('closed');
    await breaker.run(replying);
    expect(sent()).toBe(4);
  });

  test('a probe whose promise never settles is lost after a second, and the next call probes', async () => {
    const { time, breaker, fail, replying } = setUp();
    await fail(3);
    time.now = 100;
    breaker.run(() => new Promise(() => undefined)).catch(() => undefined);
    time.now = 1_099;
    await expect(breaker.run(replying)).rejects.toThrow('breaker is open');
    time.now = 1_100;
    await expect(breaker.run(replying)).resolves.toBe('answer');
    expect(breaker.state()).toBe('closed');
  });

  test('each failed probe doubles the open time, up to the maximum', async () => {
    const { time, breaker, fail, replying } = setUp();
    await fail(3);
    for (const waitMs of [100, 200, 400, 400]) {
      time.now += waitMs - 1;
      await expect(breaker.run(replying)).rejects.toThrow('breaker is open');
      time.now += 1;
      await fail(1);
    }
    time.now += 400;
    await expect(breaker.run(replying)).resolves.toBe('answer');
  });
});

describe('the breakers of a store', () => {
  const failing = () => Promise.reject(new StoreUnavailableError('no reply'));
  const replying = async () => 'answer';

  function setUp(areKeysSpread: boolean) {
    const time = { now: 1 };
    const breakers = createBreakers({
      areKeysSpread,
      timeoutMs: 1_000,
      maxFailures: 3,
      clock: () => time.now,
      random: () => 1,
    });
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
    await expect(breakers.run('limit:{coupon.claim:4}:user:ada', replying)).rejects.toThrow(
      'breaker is open',
    );
  });

  test('an open breaker without calls for ten seconds is no longer reported', async () => {
    const { time, breakers, fail } = setUp(true);
    await fail('limit:{merchant:3}:ip:ada');
    await breakers.run('limit:{merchant:4}:ip:ada', replying);
    time.now += 10_000;
    expect(breakers.state()).toBe('open');
    time.now += 1;
    expect(breakers.state()).toBe('closed');
    const calls = Array.from({ length: 3 }, () => breakers.run('limit:{merchant:3}:ip:ada', replying));
    await expect(Promise.all(calls)).resolves.toHaveLength(3);
  });

  test('the least recently used breakers are deleted', async () => {
    const { breakers, fail } = setUp(true);
    await fail('{first}');
    for (let part = 0; part < 4_096; part += 1) await breakers.run(`{${part}}`, replying);
    await expect(breakers.run('{first}', replying)).resolves.toBe('answer');
  });
});
