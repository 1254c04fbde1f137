import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, flushScripts, freshPrefix } from '../../../test/redis';
import { connectAsUser } from '../../../test/redis-user';
import { redisUrl } from '../../../test/services/worker-services';
import { stores } from '../../../test/stores';
import type { RedisClient } from '../../redis/client';
import { defineFunction, type FunctionHost, type FunctionOptions } from './lua-function';
import { defineScript } from './lua-scripts';

const script = { command: 'decideByFunction', file: 'limiter/decide.lua', numberOfKeys: 'variable' } as const;
const policyArgs = '1 0 0 sliding-log 50 60000 10 enforce 0 0 0';

describe.each(stores)('on $store', ({ storeUrl }) => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connectTestRedis(await storeUrl());
  });
  afterAll(() => redis.quit());

  /** The names of our functions that this Redis holds. */
  async function functions(client: RedisClient = redis): Promise<string[]> {
    const listed = JSON.stringify(await client.function('LIST', 'LIBRARYNAME', `${script.command}_*`));
    return [...new Set(listed.match(/decideByFunction_\w+/g))];
  }

  /** So many calls on one key with a limit of 50: whether each was admitted. */
  async function decideOn(
    client: FunctionHost,
    calls: number,
    options?: FunctionOptions,
  ): Promise<boolean[]> {
    const key = freshPrefix();
    const run = defineFunction(client, script, options);
    const replies = await Promise.all(Array.from({ length: calls }, () => run([key], [policyArgs, 1])));
    return replies.map((reply) => /^\d+ 1 /.test(String(reply)));
  }

  const first50Of80 = Array.from({ length: 80 }, (_, index) => index < 50);

  test('a missing function is loaded once, and each call that found it missing is charged once', async () => {
    await flushScripts(redis);
    expect(await functions()).toEqual([]);
    expect((await decideOn(redis, 80)).filter(Boolean)).toHaveLength(50);
    expect(await functions()).toHaveLength(1);
  });

  test('if functions are deleted during calls, no call is lost and none is charged twice', async () => {
    const other = await connectTestRedis(await storeUrl());
    onTestFinished(() => other.disconnect());
    const key = freshPrefix();
    const run = defineFunction(redis, script);
    const used: number[] = [];
    for (let wave = 1; wave <= 10; wave += 1) {
      const calls = Array.from({ length: 4 }, () => run([key], [policyArgs, 1]));
      used.push(...(await Promise.all(calls)).map((reply) => Number(String(reply).split(' ')[2])));
      await other.function('FLUSH');
      expect(await functions()).toEqual([]);
    }
    expect(used.toSorted((one, another) => one - another)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
  });

  test.each([[['fcall']], [['function']], [['fcall', 'function']]])(
    'without permission for %s the calls run as scripts',
    async (commands) => {
      await flushScripts(redis);
      const client = await connectAsUser(
        redis,
        await storeUrl(),
        ...commands.map((command) => `-${command}`),
      );
      const warnings: string[] = [];
      const onWarning = (message: string) => warnings.push(message);
      expect(await decideOn(client, 80, { onWarning })).toEqual(first50Of80);
      expect(await functions()).toEqual([]);
      expect(warnings).toEqual([expect.stringMatching(/decide\.lua runs as a script.*NOPERM/)]);
    },
  );

  test('a client without functions runs scripts', async () => {
    await flushScripts(redis);
    const calls: string[] = [];
    const host: FunctionHost = {
      defineCommand(name, definition) {
        calls.push(name);
        redis.defineCommand(name, definition);
        Reflect.set(host, name, Reflect.get(redis, name).bind(redis));
      },
    };
    expect(await decideOn(host, 80)).toEqual(first50Of80);
    expect(calls).toEqual([script.command]);
    expect(await functions()).toEqual([]);
  });

  test('without permission for a key a call is refused by Redis, and the next runs as a function', async () => {
    const [own, other] = [freshPrefix(), freshPrefix()];
    const client = await connectAsUser(redis, await storeUrl(), 'resetkeys', `~${own}*`);
    const run = defineFunction(client, script);
    await expect(run([other], [policyArgs, 1])).rejects.toThrow('NOPERM');
    expect(await run([own], [policyArgs, 1])).toMatch(/^\d+ 1 1 /);
    expect(await functions()).toHaveLength(1);
  });

  test('any other error is an error of the call', async () => {
    const list = freshPrefix();
    const run = defineFunction(redis, script);
    await expect(run([list], ['no policy', 1])).rejects.toThrow(/invalid policy arguments/);
  });

  test('cached policy arguments are never used for another policy', async () => {
    const [one, other] = [freshPrefix(), freshPrefix()];
    const run = defineFunction(redis, script);
    const wide = policyArgs.replace('50', '1000');
    for (let call = 1; call <= 60; call += 1) {
      const replies = await run([one, other, one], [policyArgs, 1, wide, 1, policyArgs, 1]);
      const used = String(replies)
        .split('\n')
        .map((reply) => Number(reply.split(' ')[2]));
      expect(used).toEqual([Math.min(50, 2 * call - 1), call, Math.min(50, 2 * call)]);
    }
  });
});

test('two releases with different scripts use functions with different names', async () => {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  await flushScripts(redis);
  for (const file of ['limiter/decide.lua', 'limiter/queue-join.lua'])
    await defineFunction(redis, { ...script, file }).load();
  const listed = JSON.stringify(await redis.function('LIST'));
  expect(new Set(listed.match(/decideByFunction_\w{12}/g)).size).toBe(2);
});

test('a file that is not a function is rejected at once', async () => {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  const noFunction = { command: 'nowMs', file: 'lib/now.lua', numberOfKeys: 0 };
  expect(() => defineFunction(redis, noFunction)).toThrow('does not end with the call of its function');
  expect(() => defineScript(redis, noFunction)).not.toThrow();
});
