import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { parseList } from 'structured-headers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { startHttpServer } from '../../../test/http-server';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { createLimiter, type Limiter } from '../limiter';
import { definePolicy, type NamedLevel } from '../policy/named-policy';
import { ioredisStore } from '../stores/ioredis-store';
import type { Store } from '../stores/store';
import { rateLimit as limitExpress } from './express';
import { rateLimit as limitFastify } from './fastify';
import { forwardedAddress, rateLimit as limitFetch } from './fetch';
import { rateLimit as limitHono } from './hono';

/** A policy that counts by the address alone. */
const policyOf = (
  level: Omit<NamedLevel, 'level'>,
  { name = 'page', ...others }: { name?: string; onStoreError?: 'open' | 'local' } = {},
) =>
  definePolicy({
    name,
    levels: [{ level: 'ip', ...level } as NamedLevel & { level: 'ip' }],
    message: { en: 'Too many.', zh: '太多了。' },
    ...others,
  });

interface Route {
  limiter: Limiter;
  policies: ReturnType<typeof policyOf>[];
  /** The proxies that are trusted. Behind Fetch, the number of proxies is always 1. */
  trustedProxies?: string[];
  /** Receives the level of each refusal. */
  onRefused?: (level: string) => void;
  handle?: () => Promise<string>;
}

interface Framework {
  name: string;
  open(route: Route): Promise<Server>;
}

const acceptLanguage = 'accept-language';
const answer = async () => 'ok';

const frameworks: Framework[] = [
  {
    name: 'Express',
    async open({ policies, onRefused, handle = answer, ...options }) {
      const app = express();
      const limits = policies.map((policy) =>
        limitExpress({
          ...options,
          policy,
          language: (req) => req.headers[acceptLanguage] ?? 'en',
          onRefused: ({ refusedBy }) => onRefused?.(refusedBy.level),
        }),
      );
      app.all('/', ...limits, async (_req, res) => {
        res.send(await handle());
      });
      return createServer(app);
    },
  },
  {
    name: 'Fastify',
    async open({ policies, onRefused, handle = answer, ...options }) {
      const app = Fastify();
      const onRequest = policies.map((policy) =>
        limitFastify({
          ...options,
          policy,
          language: (request) => request.headers[acceptLanguage] ?? 'en',
          onRefused: ({ refusedBy }) => onRefused?.(refusedBy.level),
        }),
      );
      app.route({ method: ['GET', 'OPTIONS'], url: '/', onRequest, handler: handle });
      await app.ready();
      return app.server;
    },
  },
  {
    name: 'Hono',
    async open({ policies, onRefused, handle = answer, ...options }) {
      const app = new Hono<{ Bindings: HttpBindings }>();
      for (const policy of policies) {
        const limit = limitHono<typeof policy, { Bindings: HttpBindings }>({
          ...options,
          policy,
          language: (c) => c.req.header(acceptLanguage) ?? 'en',
          onRefused: ({ refusedBy }) => onRefused?.(refusedBy.level),
        });
        app.use('/', limit);
      }
      app.all('/', async (c) => c.text(await handle()));
      return createAdaptorServer({ fetch: app.fetch }) as Server;
    },
  },
  {
    name: 'Fetch',
    async open({ policies, onRefused, handle = answer, limiter }) {
      type Handler = (request: Request) => Response | Promise<Response>;
      const limited = policies.reduceRight<Handler>(
        (next, policy) =>
          limitFetch({
            limiter,
            policy,
            language: (request) => request.headers.get(acceptLanguage) ?? 'en',
            onRefused: ({ refusedBy }) => onRefused?.(refusedBy.level),
            subjects: (request) => ({ ip: forwardedAddress(request, { proxies: 1 }) ?? '127.0.0.1' }),
          })(next),
        async () => new Response(await handle()),
      );
      return createAdaptorServer({ fetch: limited }) as Server;
    },
  },
];

async function openStore(): Promise<Store> {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  return ioredisStore(redis);
}

/** The store of a Redis that is dead. */
let deadStore: Store;
let disconnect: () => void;
beforeAll(async () => {
  const redis = await startRedis();
  const client = await connectTestRedis(redis.url);
  disconnect = () => client.disconnect();
  deadStore = ioredisStore(client);
  await redis.kill();
  await waitUntil(() => client.status !== 'ready');
});
afterAll(() => disconnect?.());

const createTestLimiter = (store: Store) =>
  createLimiter({ store, secret: 'a secret of at least 32 characters', prefix: freshPrefix() });

describe.each(frameworks)('$name', ({ open, name }) => {
  /** Starts a server with one limited route. Returns a function that calls it. */
  async function serve(route: Route) {
    const server = await open(route);
    const url = `http://127.0.0.1:${await listenOnFreePort(server)}/`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return (headers: Record<string, string> = {}, init: RequestInit = {}) => fetch(url, { headers, ...init });
  }

  test('behind a trusted proxy a caller cannot choose its address', async () => {
    const limiter = createTestLimiter(await openStore());
    const policies = [policyOf({ limit: 1, windowMs: 60_000 })];
    const call = await serve({ limiter, policies, trustedProxies: ['127.0.0.1'] });
    const statusOf = async (forwarded: string) => (await call({ 'x-forwarded-for': forwarded })).status;
    expect(await statusOf('192.0.2.1')).toBe(200);
    expect(await statusOf('203.0.113.9, 192.0.2.1')).toBe(429);
    expect(await statusOf('198.51.100.7, 192.0.2.1')).toBe(429);
    expect(await statusOf('192.0.2.1, 192.0.2.2')).toBe(200);
  });

  // A Fetch handler has no socket, so a proxy and a caller are the same to it.
  if (name !== 'Fetch')
    test('without a trusted proxy X-Forwarded-For does not count', async () => {
      const limiter = createTestLimiter(await openStore());
      const call = await serve({ limiter, policies: [policyOf({ limit: 1, windowMs: 60_000 })] });
      expect((await call({ 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
      expect((await call({ 'x-forwarded-for': '192.0.2.2' })).status).toBe(429);
    });

  test('a refusal is problem details in the language of the caller, and the handler does not run', async () => {
    const limiter = createTestLimiter(await openStore());
    const events: string[] = [];
    const call = await serve({
      limiter,
      policies: [policyOf({ limit: 1, windowMs: 60_000 })],
      onRefused: (level) => events.push(`refused by ${level}`),
      async handle() {
        events.push('run');
        return 'ok';
      },
    });
    const admitted = await call();
    expect([admitted.status, await admitted.text()]).toEqual([200, 'ok']);
    expect(admitted.headers.get('ratelimit')).toBe('"page:ip";r=0;t=60');
    for (const [language, detail] of [
      ['zh', '太多了。'],
      ['fr', 'Too many.'],
    ]) {
      const refused = await call({ [acceptLanguage]: String(language) });
      expect(refused.status).toBe(429);
      // Fastify adds a charset.
      expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json(; charset=utf-8)?$/);
      expect(refused.headers.get('ratelimit-policy')).toBe('"page:ip";q=1;w=60');
      expect(refused.headers.get('retry-after')).toBe('60');
      expect(await refused.json()).toMatchObject({
        status: 429,
        detail,
        rateLimit: { policy: 'page', level: 'ip' },
      });
    }
    expect(events).toEqual(['run', 'refused by ip', 'refused by ip']);
  });

  test('a CORS preflight is not charged, another OPTIONS is', async () => {
    const limiter = createTestLimiter(await openStore());
    const call = await serve({ limiter, policies: [policyOf({ limit: 1, windowMs: 60_000 })] });
    const preflight = { origin: 'http://example.com', 'access-control-request-method': 'GET' };
    for (let sent = 0; sent < 2; sent += 1) {
      const { status, headers } = await call(preflight, { method: 'OPTIONS' });
      expect([status, headers.has('ratelimit')]).toEqual([200, false]);
    }
    expect((await call({}, { method: 'OPTIONS' })).status).toBe(200);
    expect((await call()).status).toBe(429);
  });

  test('a blocked level refuses every call, also without the store, and no header or body names a time', async () => {
    const limiter = createTestLimiter(deadStore);
    limiter.setOverrides([{ policy: 'page', level: 'ip', mode: 'block', version: 1 }]);
    const call = await serve({ limiter, policies: [policyOf({ limit: 9, windowMs: 60_000 })] });
    const refused = await call();
    expect(refused.status).toBe(429);
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(refused.headers.get('ratelimit')).toBe('"page:ip";r=0');
    expect(await refused.json()).toMatchObject({
      status: 429,
      rateLimit: { level: 'ip', reason: 'blocked', retryAfterMs: null },
    });
    expect(await limiter.check(policyOf({ limit: 9, windowMs: 60_000 }), { ip: '192.0.2.1' })).toMatchObject({
      ...{ allowed: false, reason: 'blocked', retryAfterMs: null },
    });
    limiter.setOverrides([{ policy: 'page', level: 'ip', mode: 'off', version: 2 }]);
    expect((await call()).status).toBe(200);
  });

  test('two limits of a route have their items in one header', async () => {
    const limiter = createTestLimiter(await openStore());
    const hourly = policyOf({ limit: 9, windowMs: 3_600_000 }, { name: 'hourly' });
    const call = await serve({ limiter, policies: [policyOf({ limit: 2, windowMs: 60_000 }), hourly] });
    const { headers } = await call();
    const items = parseList(headers.get('ratelimit') ?? '');
    expect(items.map(([item]) => item).sort()).toEqual(['hourly:ip', 'page:ip']);
  });

  test('without the store an open policy admits uncounted, a local one counts on this node, a closed one answers 503', async () => {
    const limit = { limit: 1, windowMs: 60_000 };
    const answersOf = async (policy: ReturnType<typeof policyOf>) => {
      const call = await serve({ limiter: createTestLimiter(deadStore), policies: [policy] });
      const answers = [await call(), await call()];
      return answers.map(({ status, headers }) => [
        status,
        headers.get('floodgate-degraded'),
        headers.has('ratelimit'),
        // A local counter returns its units up to a hundredth of its window late.
        headers.get('retry-after')?.replace('61', '60'),
      ]);
    };
    expect(await answersOf(policyOf(limit, { onStoreError: 'open' }))).toEqual([
      [200, '1', false, undefined],
      [200, '1', false, undefined],
    ]);
    expect(await answersOf(policyOf(limit, { onStoreError: 'local' }))).toEqual([
      [200, '1', true, undefined],
      [429, '1', true, '60'],
    ]);
    expect(await answersOf(policyOf(limit))).toEqual([
      [503, null, false, '1'],
      [503, null, false, '1'],
    ]);
  });

  describe('a limit of calls in flight', () => {
    const policy = policyOf({ concurrent: 1, leaseMs: 60_000 });

    /** Starts a server whose calls wait in the handler until `finish` is called. */
    async function serveWaiting() {
      const counts = { runs: 0 };
      const limiter = createTestLimiter(await openStore());
      const ending = new AbortController();
      const finished = once(ending.signal, 'abort');
      const finish = () => ending.abort();
      onTestFinished(finish);
      const call = await serve({
        limiter,
        policies: [policy],
        async handle() {
          counts.runs += 1;
          await finished;
          return 'ok';
        },
      });
      const usedOf = async () => (await limiter.peek(policy, { ip: '127.0.0.1' })).windows[0]?.used;
      return { call, counts, finish, usedOf };
    }

    test('a second call is refused until the first has ended', async () => {
      const { call, counts, finish, usedOf } = await serveWaiting();
      const first = call();
      await waitUntil(() => counts.runs === 1);
      expect((await call()).status).toBe(429);
      expect(await usedOf()).toBe(1);
      finish();
      expect((await first).status).toBe(200);
      await waitUntil(async () => (await usedOf()) === 0);
      expect((await call()).status).toBe(200);
    });

    test('a caller who disconnects makes room', async () => {
      const { call, counts, usedOf } = await serveWaiting();
      const caller = new AbortController();
      const first = call({}, { signal: caller.signal });
      await waitUntil(() => counts.runs === 1);
      caller.abort();
      await expect(first).rejects.toThrow('aborted');
      await waitUntil(async () => (await usedOf()) === 0);
    });
  });
});

test.each([
  ['192.0.2.1', 1, '192.0.2.1'],
  ['198.51.100.7, 192.0.2.1', 1, '192.0.2.1'],
  ['198.51.100.7, 192.0.2.1, 10.0.0.1', 2, '192.0.2.1'],
  ['192.0.2.1', 2, undefined],
  ['', 1, undefined],
])('X-Forwarded-For %s behind %i proxies is %s', (forwarded, proxies, expected) => {
  const request = new Request('http://example.com/', { headers: { 'x-forwarded-for': forwarded } });
  expect(forwardedAddress(request, { proxies })).toBe(expected);
});

describe('a handler may return a response whose headers cannot be changed', () => {
  const redirect = async () => Response.redirect('http://example.com/next');
  async function fetched() {
    const { origin } = await startHttpServer((_req, res) => void res.setHeader('etag', '"1"').end('fetched'));
    return await fetch(origin);
  }
  const limitOptions = async () => ({
    limiter: createTestLimiter(await openStore()),
    policy: policyOf({ limit: 1, windowMs: 60_000 }),
    subjects: () => ({ ip: '192.0.2.1' }),
  });

  test.each([
    {
      name: 'Fetch',
      openHandler: async (handler: () => Promise<Response>) => limitFetch(await limitOptions())(handler),
    },
    {
      name: 'Hono',
      // In a test, a request of Hono has no socket.
      async openHandler(handler: () => Promise<Response>) {
        const app = new Hono().get('/', limitHono(await limitOptions()), handler);
        return async (request: Request) => await app.request(request);
      },
    },
  ])('$name', async ({ openHandler }) => {
    const sendTo = async (handler: () => Promise<Response>) =>
      (await openHandler(handler))(new Request('http://localhost/'));
    const redirected = await sendTo(redirect);
    expect([
      redirected.status,
      redirected.headers.get('location'),
      redirected.headers.get('ratelimit'),
    ]).toEqual([302, 'http://example.com/next', '"page:ip";r=0;t=60']);
    const answered = await sendTo(fetched);
    expect([answered.status, answered.headers.get('etag'), answered.headers.get('ratelimit')]).toEqual([
      200,
      '"1"',
      '"page:ip";r=0;t=60',
    ]);
    expect(await answered.text()).toBe('fetched');
  });
});
