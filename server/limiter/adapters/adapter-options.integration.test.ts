import { createServer, type Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { createLimiter, type Limiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';
import { rateLimit as limitExpress } from './express';
import { rateLimit as limitFastify } from './fastify';
import { rateLimit as limitFetch } from './fetch';
import type { HeaderFormat } from './headers';
import { rateLimit as limitHono } from './hono';

const policyOf = (name: string, limit: number) =>
  definePolicy({ name, levels: [{ level: 'ip', limit, windowMs: 60_000 }] });
type TestPolicy = ReturnType<typeof policyOf>;

interface Limit {
  policy: TestPolicy;
  headers?: HeaderFormat;
  /** Decides by the path of a request. */
  skip?: (path: string) => boolean | Promise<boolean>;
  /** Answers a refusal by a response of its own, which sets its status or does not. */
  own?: { status?: 420 };
  trustedProxies?: number;
}

type Options = Omit<Limit, 'own' | 'skip'> & { limiter: Limiter };

interface Framework {
  name: string;
  open(limiter: Limiter, limits: Limit[]): Promise<Server>;
}

const OWN = 'Slow down, please.';
const optionsOf = (limiter: Limiter, { own: _own, skip: _skip, ...options }: Limit): Options => ({
  limiter,
  ...options,
});

const frameworks: Framework[] = [
  {
    name: 'Express',
    async open(limiter, limits) {
      const app = express();
      const handlers = limits.map((limit) =>
        limitExpress({
          ...optionsOf(limiter, limit),
          skip: ({ path }) => limit.skip?.(path) ?? false,
          onRefused: (_refusal, _req, res) =>
            limit.own && (limit.own.status ? res.status(limit.own.status) : res).send(OWN),
        }),
      );
      app.get(/.*/, ...handlers, (_req, res) => void res.send('Hello.'));
      return createServer(app);
    },
  },
  {
    name: 'Fastify',
    async open(limiter, limits) {
      const app = Fastify();
      const onRequest = limits.map((limit) =>
        limitFastify({
          ...optionsOf(limiter, limit),
          skip: ({ url }) => limit.skip?.(url) ?? false,
          onRefused: (_refusal, _request, reply) =>
            limit.own && (limit.own.status ? reply.code(limit.own.status) : reply).send(OWN),
        }),
      );
      app.get('/*', { onRequest }, async () => 'Hello.');
      await app.ready();
      return app.server;
    },
  },
  {
    name: 'Hono',
    async open(limiter, limits) {
      const app = new Hono<{ Bindings: HttpBindings }>();
      for (const limit of limits)
        app.use(
          limitHono({
            ...optionsOf(limiter, limit),
            skip: (c) => limit.skip?.(c.req.path) ?? false,
            onRefused: (_refusal, c) => limit.own && c.text(OWN, limit.own.status as 429),
          }),
        );
      app.get('*', (c) => c.text('Hello.'));
      return createAdaptorServer({ fetch: app.fetch }) as Server;
    },
  },
  {
    name: 'Fetch',
    async open(limiter, limits) {
      type Handler = (request: Request) => Response | Promise<Response>;
      const fetch = limits.reduceRight<Handler>(
        (next, limit) =>
          limitFetch({
            ...optionsOf(limiter, limit),
            subjects: ({ headers }) => (headers.has('x-forwarded-for') ? {} : { ip: '127.0.0.1' }),
            skip: ({ url }) => limit.skip?.(new URL(url).pathname) ?? false,
            onRefused: () => limit.own && new Response(OWN, limit.own),
          })(next),
        () => new Response('Hello.'),
      );
      return createAdaptorServer({ fetch }) as Server;
    },
  },
];

const createTestLimiter = () =>
  createLimiter({ store: memoryStore({ clock: () => 500 }), secret: 'a secret of at least 32 characters' });

describe.each(frameworks)('$name', ({ name, open }) => {
  async function serve(...limits: Limit[]) {
    const limiter = createTestLimiter();
    const server = await open(limiter, limits);
    const url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return (path = '/', headers: Record<string, string> = {}) => fetch(url + path, { headers });
  }
  const limitHeadersOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry/.test(name)));

  test.each([
    ['at once', (path: string) => path === '/health'],
    ['by a promise', async (path: string) => path === '/health'],
  ])('a skipped request is neither decided nor charged: %s', async (_when, skip) => {
    const call = await serve({ policy: policyOf('page', 1), skip });
    for (let sent = 0; sent < 3; sent += 1) {
      const skipped = await call('/health');
      expect([skipped.status, limitHeadersOf(skipped)]).toEqual([200, {}]);
    }
    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(429);
    expect((await call('/health')).status).toBe(200);
  });

  test('an answer of onRefused that sets no status is a 429, or the Response that it returns', async () => {
    const call = await serve({ policy: policyOf('page', 1), own: {} });
    await call();
    const refused = await call();
    const isResponse = name === 'Hono' || name === 'Fetch';
    expect([refused.status, await refused.text()]).toEqual([isResponse ? 200 : 429, OWN]);
    expect(refused.headers.get('retry-after')).toBe('60');
  });

  test('onRefused may answer itself, with the headers of the limit', async () => {
    const call = await serve({ policy: policyOf('page', 1), own: { status: 420 } });
    await call();
    const refused = await call();
    expect([refused.status, await refused.text()]).toEqual([420, OWN]);
    expect(refused.headers.get('content-type')).toMatch(/^text\//);
    expect(limitHeadersOf(refused)).toEqual({
      'ratelimit-policy': '"page:ip";q=1;w=60',
      ratelimit: '"page:ip";r=0;t=60',
      'retry-after': '60',
    });
  });

  test('legacy headers are those of the tighter of two limits', async () => {
    const headers = 'legacy' as const;
    for (const limits of [
      [2, 9],
      [9, 2],
    ]) {
      const call = await serve(
        ...limits.map((limit, index) => ({ policy: policyOf(`page${index}`, limit), headers })),
      );
      // The store's clock stands at 500 ms.
      const tight = { 'x-ratelimit-limit': '2', 'x-ratelimit-reset': '61' };
      expect(limitHeadersOf(await call())).toEqual({ ...tight, 'x-ratelimit-remaining': '1' });
      await call();
      const refused = await call();
      expect([refused.status, limitHeadersOf(refused)]).toEqual([
        429,
        { ...tight, 'x-ratelimit-remaining': '0', 'retry-after': '60' },
      ]);
    }
  });

  test('headers: false sends Retry-After alone', async () => {
    const call = await serve({ policy: policyOf('page', 1), headers: false });
    expect(limitHeadersOf(await call())).toEqual({});
    expect(limitHeadersOf(await call())).toEqual({ 'retry-after': '60' });
  });

  test('behind a number of proxies, a caller cannot choose its address', async () => {
    const call = await serve({ policy: policyOf('page', 1), trustedProxies: 2 });
    const statusOf = async (forwarded: string) => (await call('/', { 'x-forwarded-for': forwarded })).status;
    expect(await statusOf('192.0.2.1, 10.0.0.1')).toBe(200);
    expect(await statusOf('203.0.113.9, 192.0.2.1, 10.0.0.2')).toBe(429);
    expect(await statusOf('192.0.2.1, 192.0.2.2, 10.0.0.1')).toBe(200);
  });
});

describe('a header of the platform', () => {
  const limiter = createTestLimiter();
  const addressHeader = 'cf-connecting-ip';
  const app = new Hono();
  app.use(limitHono({ limiter, policy: policyOf('hono', 1), addressHeader }));
  app.get('/', (c) => c.text('Hello.'));
  const route = limitFetch({ limiter, policy: policyOf('fetch', 1), addressHeader })(
    () => new Response('Hello.'),
  );

  test.each([
    { name: 'Hono', send: async (request: Request) => await app.fetch(request) },
    { name: 'Fetch', send: route },
  ])('$name: is the address, in every spelling; X-Forwarded-For is not', async ({ send }) => {
    const statusOf = async (address: string) => {
      const headers = { [addressHeader]: address, 'x-forwarded-for': '203.0.113.9' };
      return (await send(new Request('http://localhost/', { headers }))).status;
    };
    expect(await statusOf('2001:db8::1')).toBe(200);
    expect(await statusOf('2001:DB8:0:0:ffff::2')).toBe(429);
    expect(await statusOf('192.0.2.1')).toBe(200);
  });

  test('Fetch: a request without it has no address', async () => {
    await expect(route(new Request('http://localhost/'))).rejects.toThrow(
      'Policy "fetch" counts by "ip", and this call has none.',
    );
  });
});

describe('options that contradict each other stop the start', () => {
  const limiter = createTestLimiter();
  const settling = (settle: 'failures' | 'units' | (() => number)) =>
    definePolicy({ ...policyOf('page', 5), settle });
  const subjects = () => ({ ip: '192.0.2.1' });
  const create: [name: string, create: (options: never) => unknown][] = [
    ['Express', limitExpress],
    ['Fastify', limitFastify],
    ['Hono', limitHono],
    ['Fetch', limitFetch],
  ];

  test.each(create)('%s', (_name, rateLimit) => {
    const start = (options: object) => () => rateLimit({ limiter, subjects, ...options } as never);
    expect(start({ policy: settling('failures') })).not.toThrow();
    for (const settle of ['units', () => 1] as const)
      expect(start({ policy: settling(settle) })).toThrow(
        'settle is undefined. The settle of policy "page" does not say how a response settles. Use settle:',
      );
    expect(start({ policy: policyOf('page', 5), settle: 'failures' })).toThrow(
      'settle is "failures". Policy "page" reserves nothing. Add settle: "units" to the policy.',
    );
    expect(start({ policy: settling('units'), settle: 'errors' })).toThrow(
      'settle is "errors". Use "failures"',
    );
    expect(start({ policy: policyOf('page', 5), headers: 'draft-7' })).toThrow('headers is "draft-7". Use');
    expect(start({ policy: policyOf('page', 5), skip: true })).toThrow('skip is true. Use a function');
  });

  test.each([
    ['Hono', limitHono],
    ['Fetch', limitFetch],
  ] as [string, (options: never) => unknown][])(
    '%s: addressHeader with trustedProxies',
    (_name, rateLimit) => {
      const options = { limiter, policy: policyOf('page', 5), addressHeader: 'x-real-ip', trustedProxies: 1 };
      expect(() => rateLimit(options as never)).toThrow(
        'addressHeader is "x-real-ip". Use the name of the header',
      );
    },
  );
});

test('Express: an error of the limit goes to next, also without the promises of Express 5', async () => {
  const limiter = createTestLimiter();
  const policy = definePolicy({ name: 'user', levels: [{ level: 'user', limit: 1, windowMs: 1_000 }] });
  const broken = new Error('the session store is down');
  const limit = limitExpress({ limiter, policy, subjects: (): Promise<never> => Promise.reject(broken) });
  const req = { method: 'GET', headers: {}, socket: { remoteAddress: '192.0.2.1' } };
  const error = await new Promise((next) => void limit(req as never, {} as never, next));
  expect(error).toBe(broken);
});
