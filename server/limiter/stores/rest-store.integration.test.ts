import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, flushScripts, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { type RestServer, startRestServer } from '../../../test/services/rest-server';
import { redisUrl } from '../../../test/services/worker-services';
import { createLimiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import { definePolicy } from '../policy/named-policy';
import { type RestStoreOptions, restStore } from './rest-store';

const secret = 'a secret of at least 32 characters';
const policy = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 9, windowMs: 60_000 }] });
const ada = { user: 'ada' };

async function startRest(url?: string): Promise<RestServer> {
  const rest = await startRestServer(url ?? (await redisUrl()));
  onTestFinished(rest.stop);
  return rest;
}

/** Creates a limiter whose store replies in time also on a machine under load. */
function createTestLimiter({ url, token }: RestStoreOptions, options: Partial<LimiterOptions> = {}) {
  const store = restStore({ url, token });
  return createLimiter({ store, secret, prefix: freshPrefix(), timeoutMs: 60_000, ...options });
}

test('the calls of a tick are one request, which no runtime caches', async () => {
  const rest = await startRest();
  const limiter = createTestLimiter(rest);
  await limiter.ready();
  rest.requests.length = 0;
  const calls = await Promise.all(Array.from({ length: 12 }, () => limiter.check(policy, ada)));
  expect(calls.filter(({ allowed }) => allowed)).toHaveLength(9);
  expect(rest.requests).toHaveLength(1);
  expect(rest.requests[0]?.command.slice(0, 2)).toEqual(['EVALSHA', expect.stringMatching(/^[0-9a-f]{40}$/)]);
  expect(rest.requests[0]?.headers).toMatchObject({ 'cache-control': 'no-cache' });
});

test('a script that Redis has lost is sent with its text, and charges once', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const client = await connectTestRedis(redis.url);
  onTestFinished(() => client.disconnect());
  const rest = await startRest(redis.url);
  const limiter = createTestLimiter(rest);
  for (const used of [1, 2]) {
    await flushScripts(client);
    rest.requests.length = 0;
    expect(await limiter.check(policy, ada)).toMatchObject({ levels: [{ used }] });
    expect(rest.requests.map(({ command: [name] }) => name)).toEqual(['EVALSHA', 'EVAL']);
  }
});

test('a call whose reply was lost is not sent again', async () => {
  const rest = await startRest();
  const prefix = freshPrefix();
  const limiter = createTestLimiter(rest, { prefix });
  // Some runtimes send a request again that closes a kept connection.
  await limiter.ready();
  rest.requests.length = 0;
  const losing = createTestLimiter({ ...rest, url: `${rest.url}/lost` }, { prefix });
  await expect(losing.check(policy, ada)).rejects.toMatchObject({ kind: 'disconnected' });
  expect(rest.requests).toHaveLength(1);
  expect(await limiter.peek(policy, ada)).toMatchObject({ windows: [{ used: 1 }] });
});

test('while the server is down, calls fail at once and ready() says why', async () => {
  const rest = await startRestServer(await redisUrl());
  rest.stop();
  const limiter = createTestLimiter(rest);
  await expect(limiter.check(policy, ada)).rejects.toMatchObject({ kind: 'disconnected' });
  await expect(limiter.ready()).rejects.toThrow(/The store cannot decide: .*cannot be reached.*ECONNREFUSED/);
});

test('a server that does not answer is left after 5 s', async () => {
  const rest = await startRest();
  let aborted: Promise<unknown> | undefined;
  rest.send = (res) => {
    aborted = once(res, 'close');
  };
  const limiter = createTestLimiter(rest);
  await expect(limiter.check(policy, ada)).rejects.toMatchObject({ kind: 'timeout' });
  await aborted;
});

const sendText = (status: number, text: string) => (res: ServerResponse) => res.writeHead(status).end(text);
const error = (text: string) => JSON.stringify({ error: text });

test.each([
  [401, error('WRONGPASS invalid or missing auth token'), 'WRONGPASS', 'its standard token'],
  [401, 'Unauthorized', 'WRONGPASS', 'its standard token'],
  [403, '<html>Forbidden</html>', 'NOPERM', 'its standard token'],
  [400, error("NOPERM this user has no permissions to run the 'evalsha' command"), 'NOPERM', 'EVALSHA'],
  [404, 'Not found', 'other', 'the address of the REST API'],
  [429, 'Too many requests', 'other', 'Raise its plan'],
  [400, error('ERR max requests limit exceeded. Limit: 500000, Usage: 500000.'), 'other', 'Raise its plan'],
  [502, 'Bad gateway', 'disconnected', 'answered 502: Bad gateway'],
  [200, '<html>A page</html>', 'malformed-reply', 'answered 200: <html>'],
  [302, '', 'malformed-reply', 'the address of the REST API'],
])('%d %s is an error of the kind %s, and ready() names the fix', async (status, text, kind, fix) => {
  const rest = await startRest();
  rest.send = sendText(status, text);
  const limiter = createTestLimiter(rest);
  await expect(limiter.check(policy, ada)).rejects.toMatchObject({ kind });
  const problem = await limiter.ready().catch((thrown: unknown) => thrown);
  expect(problem).toMatchObject({ kind, message: expect.stringContaining(fix) });
  expect(String(problem)).not.toContain(rest.token);
});

test('a wrong token is refused by the server', async () => {
  const { url } = await startRest();
  const limiter = createTestLimiter({ url, token: 'wrong' });
  await expect(limiter.check(policy, ada)).rejects.toMatchObject({ kind: 'WRONGPASS' });
});
