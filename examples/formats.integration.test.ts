import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { bundleForWeb, CORE } from '../scripts/lib/limiter-package';
import { runCommand } from '../scripts/lib/processes.mjs';
import { startRedis } from '../test/services/redis';
import { compile, repo, unpackPackage } from './packed-package';

/** Below the repository, so that the packages besides ours are those of the repository. */
const folder = path.join(repo, '.data/formats');
await rm(folder, { recursive: true, force: true });
const { installed } = await unpackPackage(folder);

/** Uses every entry point. Prints what the calls of each get, as one line of JSON. */
const program = `
import { once } from 'node:events';
import { createServer } from 'node:http';
import { initTRPC } from '@trpc/server';
import express from 'express';
import Fastify from 'fastify';
import { createLimiter, definePolicy, isFloodgateError, type Limiter, pseudonymOf } from 'floodgate-limiter';
import { rateLimit as limitExpress } from 'floodgate-limiter/express';
import { rateLimit as limitFastify } from 'floodgate-limiter/fastify';
import { forwardedAddress, rateLimit as limitFetch } from 'floodgate-limiter/fetch';
import { rateLimit as limitHono } from 'floodgate-limiter/hono';
import { answerOf } from 'floodgate-limiter/http';
import { createQueues } from 'floodgate-limiter/queues';
import { ioredisStore, memoryStore, nodeRedisStore } from 'floodgate-limiter/stores';
import { createTrpcLimits, type RateLimitContext, rateLimit, rateLimitErrorData } from 'floodgate-limiter/trpc';
import { Hono } from 'hono';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

const secret = 'a secret of at least 32 characters';
// The tests that run at the same time may take all of the processor. The clients have unsafe defaults, with a warning.
const options = { secret, timeoutMs: 10_000, onWarning: () => undefined };
const url = process.env['REDIS_URL'] ?? '';
const levelsOf = (name: string) => ({ name, levels: [{ level: 'ip', limit: 2, windowMs: 60_000 }] }) as const;
const policy = (name: string) => definePolicy(levelsOf(name));
const print = (name: string, value: unknown) => console.info(JSON.stringify([name, value]));
const threeTimes = async <Result,>(call: () => Promise<Result>) => [await call(), await call(), await call()];

async function checkStore(name: string, limiter: Limiter) {
  await limiter.ready();
  const stored = policy(name);
  print(name, await threeTimes(async () => (await limiter.check(stored, { ip: '192.0.2.1' })).allowed));
}

async function main() {
  const redis = new Redis(url);
  const client = createClient({ url });
  await client.connect();
  const limiter = createLimiter({ store: ioredisStore(redis), ...options });
  await checkStore('ioredis', limiter);
  await checkStore('node-redis', createLimiter({ store: nodeRedisStore(client), ...options }));
  await checkStore('memory', createLimiter({ store: memoryStore(), secret }));

  const app = express();
  app.get('/', limitExpress({ limiter, policy: policy('express') }), (_req, res) => { res.send('Hello.'); });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  print('express', await threeTimes(async () => (await fetch('http://127.0.0.1:' + port)).status));
  server.close();

  const fastify = Fastify();
  fastify.get('/', { onRequest: limitFastify({ limiter, policy: policy('fastify') }) }, async () => 'Hello.');
  print('fastify', await threeTimes(async () => (await fastify.inject('/')).statusCode));

  const subjects = () => ({ ip: '192.0.2.1' });
  const hono = new Hono().get('/', limitHono({ limiter, policy: policy('hono'), subjects }), (c) => c.text('Hello.'));
  print('hono', await threeTimes(async () => (await hono.request('/')).status));

  const route = limitFetch({
    limiter,
    policy: policy('fetch'),
    subjects: (request) => ({ ip: forwardedAddress(request, { proxies: 1 }) }),
  })(() => new Response('Hello.'));
  const headers = { 'x-forwarded-for': '192.0.2.1' };
  print('fetch', await threeTimes(async () => (await route(new Request('http://localhost/', { headers }))).status));

  const plain = policy('http');
  print('http', await threeTimes(async () => answerOf(await limiter.check(plain, { ip: '192.0.2.1' })).status));

  const { contextOf, errorFormatter } = createTrpcLimits({ limiter });
  const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });
  const greet = t.procedure.use(rateLimit({ ...levelsOf('trpc'), message: { en: 'Too many.' } })).query(() => 'Hello.');
  const caller = t.createCallerFactory(t.router({ greet }))(contextOf({ ip: '192.0.2.1' }));
  const levelOf = (error: unknown) => rateLimitErrorData(error as never).rateLimit?.level;
  print('trpc', await threeTimes(() => caller.greet().catch(levelOf)));

  const sale = definePolicy({
    name: 'sale',
    levels: [
      { level: 'user', limit: 5, windowMs: 60_000 },
      { level: 'global', limit: 2, windowMs: 60_000, queue: { maxLength: 10, maxWaitMs: 600_000 } },
    ],
    requestId: () => undefined,
  });
  const queue = createLimiter({ store: ioredisStore(redis), ...options, queues: createQueues }).queue(sale);
  let user = 0;
  print('queues', await threeTimes(async () => {
    user += 1;
    return (await queue.join({ subjects: { user: String(user) }, requestId: String(user), group: 'tea', payload: '' })).queued;
  }));

  try {
    createLimiter({ store: memoryStore(), secret: 'short' });
  } catch (error) {
    print('error', isFloodgateError(error, 'INVALID_OPTION'));
  }
  print('pseudonym', pseudonymOf('ada', secret));
  // @ts-expect-error a policy counts by ip
  print('missing', await limiter.check(policy('missing'), {}).catch(({ code }) => code));
  redis.disconnect();
  await client.close();
}
main();
`;

const admitted = [true, true, false];
const statuses = [200, 200, 429];
const pseudonym = expect.stringMatching(/^[\w-]{22}$/);
const printed = {
  ...{ ioredis: admitted, 'node-redis': admitted, memory: admitted },
  ...{ express: statuses, fastify: statuses, hono: statuses, fetch: statuses, http: statuses },
  trpc: ['Hello.', 'Hello.', 'ip'],
  queues: [false, false, true],
  ...{ error: true, pseudonym, missing: 'MISSING_SUBJECT' },
};

const compilerOptions = {
  ...{ target: 'es2022', lib: ['ES2023', 'DOM'], types: ['node'], module: 'node16', strict: true },
  outDir: '.',
};
const files = ['program.mts', 'program.cts'];
await Promise.all([
  ...files.map((file) => writeFile(path.join(folder, file), program)),
  writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files })),
]);
const compiled = await compile(folder);

test('a program that uses every entry point compiles with the types of both formats', () => {
  expect(compiled).toEqual({ output: '', code: 0 });
});

test.each([
  { format: 'import', file: 'program.mjs', loads: /^import .* from 'floodgate-limiter'/m },
  { format: 'require', file: 'program.cjs', loads: /require\("floodgate-limiter"\)/ },
])('it runs by $format', async ({ file, loads }) => {
  const built = path.join(folder, file);
  expect(await readFile(built, 'utf8')).toMatch(loads);
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const { code, output } = await runCommand(process.execPath, [built], { env: { REDIS_URL: redis.url } });
  expect([code, output]).toEqual([0, expect.any(String)]);
  const lines = output.trim().split('\n');
  expect(Object.fromEntries(lines.map((line) => JSON.parse(line)))).toEqual(printed);
});

test('ESM and CommonJS fit together in one process: store, policy, adapter and errors', async () => {
  const require = createRequire(import.meta.url);
  const dist = path.join(installed, 'dist');
  const [esm, cjs, stores, adapter] = await Promise.all([
    import(path.join(dist, 'index.mjs')),
    require(path.join(dist, 'index.cjs')),
    require(path.join(dist, 'memory-store.cjs')),
    import(path.join(dist, 'fetch.mjs')),
  ]);
  const secret = 'a secret of at least 32 characters';
  const limiter = cjs.createLimiter({ store: stores.memoryStore(), secret });
  const policy = esm.definePolicy({ name: 'one', levels: [{ level: 'global', limit: 1, windowMs: 60_000 }] });
  const route = adapter.rateLimit({ limiter, policy })(() => new Response('Hello.'));
  const call = async () => (await route(new Request('http://localhost/'))).status;
  expect([await call(), await call()]).toEqual([200, 429]);
  const error = await limiter.wait(policy, {}, { maxWaitMs: 0 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(esm.WaitTooLongError);
  expect(error).toBeInstanceOf(cjs.WaitTooLongError);
  expect(esm.WaitTooLongError).not.toBe(cjs.WaitTooLongError);
});

/** The globals of a runtime without Node that the core uses. */
const web = {
  AbortController,
  AbortSignal,
  TextEncoder,
  clearInterval,
  clearTimeout,
  console,
  performance,
  queueMicrotask,
};

/** Creates a limiter as a module does when it loads, then calls it. */
const script = `
const { createLimiter, definePolicy, memoryStore, pseudonymOf } = floodgate;
const secret = 'a secret of at least 32 characters';
const limiter = createLimiter({ store: memoryStore(), secret });
const policy = definePolicy({
  name: 'jobs',
  levels: [{ level: 'ip', limit: 2, windowMs: 60000 }, { level: 'global', concurrent: 9, leaseMs: 60000 }],
});
const call = async () => (await limiter.check(policy, { ip: '2001:db8::1' })).allowed;
start();
(async () => [typeof process, typeof Buffer, typeof setImmediate, await call(), await call(), await call(), pseudonymOf('ada', secret)])();
`;

test('without Node, the core decides, derives the same keys, and does nothing at module scope', async () => {
  const context = createContext({
    ...web,
    start() {
      Object.assign(context, { crypto: globalThis.crypto, setInterval, setTimeout });
    },
  });
  runInContext('Math.random = undefined', context);
  runInContext(await bundleForWeb(CORE, installed), context);
  const { pseudonymOf } = await import(path.join(installed, 'dist/index.mjs'));
  expect(await runInContext(script, context)).toEqual([
    ...['undefined', 'undefined', 'undefined'],
    ...[true, true, false],
    pseudonymOf('ada', 'a secret of at least 32 characters'),
  ]);
});
