import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createAdaptorServer } from '@hono/node-server';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import express, { type ErrorRequestHandler } from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { createLimiter, type Limiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';
import { createClientAddress, hasEnded } from './client-address';
import { rateLimit as limitExpress } from './express';
import { rateLimit as limitFastify } from './fastify';
import { forwardedAddress, rateLimit as limitFetch } from './fetch';
import { rateLimit as limitHono } from './hono';
import { createTrpcLimits, rateLimit as limitTrpc, type RateLimitContext } from './trpc';

const once60 = { limit: 1, windowMs: 60_000 };
const policy = definePolicy({ name: 'page', levels: [{ level: 'ip', ...once60 }] });

const createTestLimiter = (options: { ipv6Prefix?: number } = {}) =>
  createLimiter({
    store: memoryStore({ clock: () => 0 }),
    secret: 'a secret of at least 32 characters',
    ...options,
  });

/** Spellings of one caller, and an address of another one. */
const callers: [name: string, spellings: string[], other: string][] = [
  [
    'IPv4',
    ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '::FFFF:192.0.2.1', '192.0.2.1:4711'],
    '192.0.2.2',
  ],
  [
    'IPv6',
    [
      '2001:db8:1:2::1',
      '2001:db8:1:2::2',
      '2001:DB8:1:2:3:4:5:6',
      '2001:db8:1:2::/64',
      '[2001:db8:1:2::9]:80',
    ],
    '2001:db8:1:3::1',
  ],
];

interface Way {
  name: string;
  /** Returns the function that makes a call from an address, and returns true if it was admitted. */
  open(limiter: Limiter): (ip: string) => Promise<boolean>;
}

const inPage = (ip: string) => new Request('http://example.com/', { headers: { address: ip } });
const addressIn = ({ headers }: Pick<Request, 'headers'>) => ({ ip: headers.get('address') ?? undefined });

const ways: Way[] = [
  { name: 'check', open: (limiter) => async (ip) => (await limiter.check(policy, { ip })).allowed },
  {
    name: 'Fetch',
    open(limiter) {
      const handler = limitFetch({ limiter, policy, subjects: addressIn })(() => new Response('ok'));
      return async (ip) => (await handler(inPage(ip))).status === 200;
    },
  },
  {
    name: 'Hono',
    open(limiter) {
      const app = new Hono();
      app.get('/', limitHono({ limiter, policy, subjects: (c) => addressIn(c.req.raw) }), (c) =>
        c.text('ok'),
      );
      return async (ip) => (await app.request(inPage(ip))).status === 200;
    },
  },
  {
    name: 'contextOf of tRPC',
    open(limiter) {
      const { contextOf } = createTrpcLimits({ limiter });
      const t = initTRPC.context<RateLimitContext>().create();
      const limited = limitTrpc({ ...policy, message: { en: 'Wait.' } });
      const router = t.router({ page: t.procedure.use(limited).query(() => 'ok') });
      const createCaller = t.createCallerFactory(router);
      return (ip) =>
        createCaller(contextOf({ ip }))
          .page()
          .then(
            () => true,
            () => false,
          );
    },
  },
];

describe.each(callers)('%s', (_name, spellings, other) => {
  test.each(ways)('$name counts every spelling as one caller', async ({ open }) => {
    for (const spelling of spellings) {
      const admits = open(createTestLimiter());
      expect(await admits(spellings[0] ?? ''), spelling).toBe(true);
      expect(await admits(spelling), spelling).toBe(false);
      expect(await admits(other), spelling).toBe(true);
    }
  });

  test('peek, clear, bans and rules apply to every spelling', async () => {
    const punishing = definePolicy({
      name: 'punishing',
      levels: [{ level: 'ip', ...once60, punishment: { warnAt: 1, banAt: 2, banMs: 60_000 } }],
    });
    for (const spelling of spellings) {
      const limiter = createTestLimiter();
      const call = (ip = spelling) => limiter.check(punishing, { ip });
      await call();
      for (const ip of spellings) {
        expect((await limiter.peek(punishing, { ip })).windows).toMatchObject([{ used: 1 }]);
        await limiter.clear(punishing, { level: 'ip', subject: ip });
        expect((await call()).allowed, ip).toBe(true);
      }
      for (let refusals = 0; refusals < 2; refusals += 1) await call();
      for (const ip of spellings) expect(await call(ip)).toMatchObject({ reason: 'banned' });
      const [ban] = await limiter.bans.list(punishing);
      await limiter.clear(punishing, { level: 'ip', subject: ban?.ref });
      expect((await limiter.peek(punishing, { ip: spelling })).windows).toMatchObject([{ used: 0 }]);
      expect(await limiter.bans.lift(punishing, ban?.banId ?? '')).toBe(true);

      const rule = { kind: 'deny' as const, until: 60_000 };
      limiter.setOverrides([], [{ policy: 'page', level: 'ip', ref: spelling, rule }]);
      for (const ip of spellings) expect((await limiter.check(policy, { ip })).allowed, ip).toBe(false);
      expect((await limiter.check(policy, { ip: other })).allowed).toBe(true);
    }
  });
});

test('the address in a context of tRPC is normalised, also for levels of a name of its own', () => {
  const { contextOf } = createTrpcLimits({ limiter: createTestLimiter() });
  for (const [, spellings] of callers) {
    const counted = spellings.map((ip) => contextOf({ ip }).rateLimit.caller.ip);
    expect(new Set(counted).size).toBe(1);
  }
});

test('a rule for a range applies to its addresses, also if the range is mapped', async () => {
  const limiter = createTestLimiter();
  const deny = (ref: string) =>
    limiter.setOverrides([], [{ policy: 'page', level: 'ip', ref, rule: { kind: 'deny', until: 60_000 } }]);
  const isDenied = async (ip: string) => !(await limiter.check(policy, { ip })).allowed;
  deny('::ffff:10.0.0.0/104');
  expect([await isDenied('10.1.2.3'), await isDenied('11.1.2.3')]).toEqual([true, false]);
  deny('2001:db8::/32');
  expect([await isDenied('2001:db8:9::1'), await isDenied('2001:db9::1')]).toEqual([true, false]);
  for (const ref of ['2001:db8::1::2', '2001:db8::/65x', '0.0.0.0/0', 'fd00::/0'])
    expect(() => deny(ref)).toThrow(/persons\[0\]\.ref is .* a CIDR range/);
});

test('one prefix counts the IPv6 callers of a limiter, also those of its adapters', async () => {
  for (const [ipv6Prefix, other, isOne] of [
    [48, '2001:db8:1:ffff::1', true],
    [48, '2001:db8:2::1', false],
    [128, '2001:db8:1:2::2', false],
  ] as const) {
    const limiter = createTestLimiter({ ipv6Prefix });
    await limiter.check(policy, { ip: '2001:db8:1:2::1' });
    expect((await limiter.check(policy, { ip: other })).allowed).toBe(!isOne);
    const request = { headers: new Headers({ 'x-forwarded-for': other }) };
    const ip = forwardedAddress(request, { proxies: 1, ipv6Prefix });
    expect((await limiter.peek(policy, { ip })).windows).toMatchObject([{ used: 1 }]);
    const { createContext } = createTrpcLimits({ limiter });
    const { caller } = createContext({ req: { socket: { remoteAddress: other }, headers: {} } }).rateLimit;
    expect((await limiter.peek(policy, { ip: String(caller.ip) })).windows).toMatchObject([{ used: 1 }]);
  }
  expect(() => createTestLimiter({ ipv6Prefix: 0 })).toThrow('ipv6Prefix is 0. Use a whole number of bits');
});

test.each(['unknown', 'localhost', '192.0.2.1, 192.0.2.2', '192.0.2.0/24', '1', 42])(
  '%j is an error of the level ip that names the policy and the fix, and no shared subject',
  async (ip) => {
    const limiter = createTestLimiter();
    const error = /Policy "page" counts by "ip", which is no address .*Count it under a name of your own/;
    await expect(limiter.check(policy, { ip })).rejects.toThrow(error);
    await expect(limiter.peek(policy, { ip })).rejects.toThrow(error);
    await expect(limiter.clear(policy, { level: 'ip', subject: ip })).rejects.toThrow(error);
  },
);

test('a network of fewer bits is an error that names the prefix', async () => {
  const limiter = createTestLimiter({ ipv6Prefix: 80 });
  const call = limiter.check(policy, { ip: '2001:db8:1:2::/64' });
  await expect(call).rejects.toThrow('no IPv6 network of at least 80 bits');
});

test.each([0, -1, 1.5, 101, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined])(
  'forwardedAddress refuses %s proxies',
  (proxies) => {
    const request = { headers: new Headers({ 'x-forwarded-for': '203.0.113.9, 192.0.2.1' }) };
    expect(() => forwardedAddress(request, { proxies: proxies as number })).toThrow(/proxies is /);
  },
);

interface Framework {
  name: string;
  open(options: { limiter: Limiter; trustedProxies: string[] }): Promise<Server>;
}

/** Answers an error with its text. */
const showError: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(500).send(error.message);
};

const frameworks: Framework[] = [
  {
    name: 'Express',
    async open(options) {
      const app = express();
      app.get('/', limitExpress({ ...options, policy }), (_req, res) => {
        res.send('ok');
      });
      app.use(showError);
      return createServer(app);
    },
  },
  {
    name: 'Fastify',
    async open(options) {
      const app = Fastify();
      app.get('/', { onRequest: limitFastify({ ...options, policy }) }, async () => 'ok');
      await app.ready();
      return app.server;
    },
  },
  {
    name: 'Hono',
    async open(options) {
      const app = new Hono();
      app.get('/', limitHono({ ...options, policy }), (c) => c.text('ok'));
      app.onError((error, c) => c.text(error.message, 500));
      return createAdaptorServer({ fetch: app.fetch }) as Server;
    },
  },
  {
    name: 'tRPC',
    async open({ limiter, trustedProxies }) {
      const { createContext, errorFormatter, responseMeta } = createTrpcLimits({ limiter, trustedProxies });
      const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });
      const limited = limitTrpc({ ...policy, message: { en: 'Wait.' } });
      const router = t.router({ '': t.procedure.use(limited).query(() => 'ok') });
      return createServer(createHTTPHandler({ router, createContext, responseMeta }));
    },
  },
];

describe.each(frameworks)('$name on a Unix socket', ({ open }) => {
  async function serve(trustedProxies: string[]) {
    const directory = await mkdtemp(join(tmpdir(), 'floodgate-'));
    const socketPath = join(directory, 'socket');
    const server = await open({ limiter: createTestLimiter(), trustedProxies });
    server.listen(socketPath);
    await once(server, 'listening');
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    });
    return async (forwarded?: string) => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const call = request({ socketPath, path: '/', headers }).end();
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      const body = (await response.toArray()).join('');
      return { status: response.statusCode, body };
    };
  }

  test('a trusted proxy names the callers, who are not one', async () => {
    const call = await serve(['unix']);
    expect((await call('192.0.2.1')).status).toBe(200);
    expect((await call('203.0.113.9, 192.0.2.1')).status).toBe(429);
    expect((await call('192.0.2.2')).status).toBe(200);
    expect(await call()).toMatchObject({ status: 500, body: expect.stringContaining('X-Forwarded-For') });
  });

  test('without trust each call is an error that names the fix, and no shared subject', async () => {
    const call = await serve([]);
    const error = { status: 500, body: expect.stringMatching(/trustedProxies: \[\\*"unix/) };
    for (const forwarded of [undefined, '192.0.2.1']) expect(await call(forwarded)).toMatchObject(error);
  });
});

test('a caller who resets its connection cannot pass for the peer of a Unix socket', async () => {
  const isReset = new Int32Array(new SharedArrayBuffer(4));
  const client = `
    const { workerData: { port, isReset } } = require('node:worker_threads');
    const socket = require('node:net').connect(port, '127.0.0.1', () => {
      const head = 'GET / HTTP/1.1\\r\\nHost: a\\r\\nX-Forwarded-For: 192.0.2.1\\r\\n\\r\\n';
      socket.write(head, () => {
        socket.resetAndDestroy();
        socket.once('close', () => {
          Atomics.store(isReset, 0, 1);
          Atomics.notify(isReset, 0);
        });
      });
    });`;
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  const port = await listenOnFreePort(server);
  new Worker(client, { eval: true, workerData: { port, isReset } });
  const [req] = (await once(server, 'request')) as [IncomingMessage];
  req.socket.on('error', () => undefined);
  // Blocks the event loop, so that Node does not see the reset.
  Atomics.wait(isReset, 0, 0);
  expect(req.socket.destroyed).toBe(false);
  expect(hasEnded(req.socket)).toBe(true);
  const clientAddress = createClientAddress({ trustedProxies: ['unix'] });
  expect(() => clientAddress(req)).toThrow('Its connection has ended');
});
