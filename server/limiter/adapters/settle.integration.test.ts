import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import express, { type ErrorRequestHandler } from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { createLimiter, type Limiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { rateLimit as limitExpress } from './express';
import { rateLimit as limitFastify } from './fastify';
import { rateLimit as limitFetch } from './fetch';
import { rateLimit as limitHono } from './hono';

const COST = 3;
const levels = [{ level: 'ip', limit: 10, windowMs: 60_000 }] as const;
const policyOf = (settle: 'failures' | 'successes' | 'units') =>
  definePolicy({ name: 'page', levels, cost: COST, settle });
type TestPolicy = ReturnType<typeof policyOf>;

interface Route {
  limiter: Limiter;
  policies: TestPolicy[];
  settle?:
    | 'failures'
    | 'successes'
    | ((status: number, call: { cost: number; isComplete: boolean }) => number);
  /** Returns the status and the body of the response. */
  handle: () => { status: number; body: string | AsyncIterable<string> };
}

interface Framework {
  name: string;
  open(route: Route): Promise<Server>;
}

const quiet: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(500).send('failed');

/** Opens Hono on Node, with or without the socket. */
const openHono =
  ({ hasSocket }: { hasSocket: boolean }) =>
  async ({ limiter, policies, settle, handle }: Route) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    for (const policy of policies) {
      const limit = limitHono<TestPolicy, { Bindings: HttpBindings }>({
        limiter,
        policy,
        ...(!hasSocket && { subjects: () => ({ ip: '127.0.0.1' }) }),
        ...(settle && {
          settle: typeof settle === 'string' ? settle : (c, call) => settle(c.res.status, call),
        }),
      });
      app.use('/', limit);
    }
    app.get('/', () => toResponse(handle()));
    app.onError((_error, c) => c.text('failed', 500));
    const fetch = hasSocket ? app.fetch : (request: Request) => app.fetch(request);
    return createAdaptorServer({ fetch }) as Server;
  };

function toResponse({ status, body }: ReturnType<Route['handle']>): Response {
  const stream = typeof body === 'string' ? body : Readable.toWeb(Readable.from(body));
  return new Response(stream as BodyInit, { status });
}

const frameworks: Framework[] = [
  {
    name: 'Express',
    async open({ limiter, policies, settle, handle }) {
      const app = express();
      const limits = policies.map((policy) =>
        limitExpress({
          limiter,
          policy,
          ...(settle && {
            settle: typeof settle === 'string' ? settle : (res, call) => settle(res.statusCode, call),
          }),
        }),
      );
      app.get('/', ...limits, (_req, res) => {
        const { status, body } = handle();
        res.status(status);
        if (typeof body === 'string') res.send(body);
        else pipeline(Readable.from(body), res, () => undefined);
      });
      app.use(quiet);
      return createServer(app);
    },
  },
  {
    name: 'Fastify',
    async open({ limiter, policies, settle, handle }) {
      const app = Fastify();
      const onRequest = policies.map((policy) =>
        limitFastify({
          limiter,
          policy,
          ...(settle && {
            settle: typeof settle === 'string' ? settle : (reply, call) => settle(reply.statusCode, call),
          }),
        }),
      );
      app.get('/', { onRequest }, async (_request, reply) => {
        const { status, body } = handle();
        return reply.code(status).send(typeof body === 'string' ? body : Readable.from(body));
      });
      await app.ready();
      return app.server;
    },
  },
  { name: 'Hono', open: openHono({ hasSocket: true }) },
  { name: 'Hono without a socket', open: openHono({ hasSocket: false }) },
  {
    name: 'Fetch',
    async open({ limiter, policies, settle, handle }) {
      type Handler = (request: Request) => Response | Promise<Response>;
      const limited = policies.reduceRight<Handler>(
        (next, policy) =>
          limitFetch({
            limiter,
            policy,
            subjects: () => ({ ip: '127.0.0.1' }),
            ...(settle && {
              settle: typeof settle === 'string' ? settle : (response, call) => settle(response.status, call),
            }),
          })(next),
        () => toResponse(handle()),
      );
      const fetch = async (request: Request) => {
        try {
          return await limited(request);
        } catch {
          return new Response('failed', { status: 500 });
        }
      };
      return createAdaptorServer({ fetch }) as Server;
    },
  },
];

/** A body whose second chunk follows when `finish` is called. */
function createBody() {
  const ending = new AbortController();
  const finished = once(ending.signal, 'abort');
  onTestFinished(() => ending.abort());
  async function* chunks() {
    yield 'one ';
    await finished;
    yield 'two';
  }
  return { body: chunks(), finish: () => ending.abort() };
}

describe.each(frameworks)('$name', ({ open }) => {
  async function serve(route: Omit<Route, 'limiter'>) {
    const redis = await connectTestRedis(await redisUrl());
    onTestFinished(() => redis.disconnect());
    const warnings: string[] = [];
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
      // The tests that run at the same time may take all of the processor.
      timeoutMs: 10_000,
      onWarning: (message) => warnings.push(message),
    });
    /** The units that ended calls keep. */
    const settled: unknown[] = [];
    async function settle(...call: Parameters<Limiter['settle']>) {
      const isChanged = await limiter.settle(...call);
      settled.push(call[1]);
      return isChanged;
    }
    const server = await open({ limiter: { ...limiter, settle }, ...route });
    const url = `http://127.0.0.1:${await listenOnFreePort(server)}/`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const [policy = policyOf('units')] = route.policies;
    const usedOf = async () => (await limiter.peek(policy, { ip: '127.0.0.1' })).windows[0]?.used;
    return { call: (init: RequestInit = {}) => fetch(url, init), settled, usedOf, warnings };
  }

  test.each([
    ['failures', 200, 0],
    ['failures', 404, COST],
    ['failures', 'throws', COST],
    ['successes', 200, COST],
    ['successes', 302, COST],
    ['successes', 503, 0],
    ['successes', 'throws', 0],
  ] as const)('%s: a handler that answers %s keeps %i units', async (word, status, kept) => {
    function handle() {
      if (status === 'throws') throw new Error('a bug of the handler');
      return { status, body: 'done' };
    }
    // By the policy, and by the option that replaces it.
    for (const route of [{ policies: [policyOf(word)] }, { policies: [policyOf('units')], settle: word }]) {
      const { call, settled, usedOf } = await serve({ ...route, handle });
      expect((await call({ redirect: 'manual' })).status).toBe(status === 'throws' ? 500 : status);
      await waitUntil(() => settled.length > 0);
      expect([settled, await usedOf()]).toEqual([[kept], kept]);
    }
  });

  test('a stream keeps its reservation until its end, and then the units of the function', async () => {
    const { body, finish } = createBody();
    const calls: unknown[] = [];
    const { call, settled, usedOf } = await serve({
      policies: [policyOf('units')],
      settle(status, { cost, isComplete }) {
        calls.push({ status, cost, isComplete });
        return 5;
      },
      handle: () => ({ status: 201, body }),
    });
    const response = await call();
    expect([calls, await usedOf()]).toEqual([[], COST]);
    finish();
    expect(await response.text()).toBe('one two');
    await waitUntil(() => settled.length > 0);
    expect([calls, await usedOf()]).toEqual([[{ status: 201, cost: COST, isComplete: true }], 5]);
  });

  test.each([
    { word: 'failures', status: 200 },
    { word: 'successes', status: 500 },
  ] as const)('$word: a caller who leaves a stream with the status $status keeps all units', async (row) => {
    const { body } = createBody();
    const { call, settled, usedOf } = await serve({
      policies: [policyOf(row.word)],
      handle: () => ({ status: row.status, body }),
    });
    const caller = new AbortController();
    const response = await call({ signal: caller.signal });
    caller.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    await waitUntil(() => settled.length > 0);
    expect([settled, await usedOf()]).toEqual([[COST], COST]);
  });

  test('a stream that fails is not complete', async () => {
    // @hono/node-server logs it.
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    async function* fail() {
      yield 'one ';
      throw new Error('the model broke off');
    }
    const calls: boolean[] = [];
    const { call, settled, usedOf } = await serve({
      policies: [policyOf('units')],
      settle(_status, { isComplete }) {
        calls.push(isComplete);
        return 1;
      },
      handle: () => ({ status: 200, body: fail() }),
    });
    // @hono/node-server sends the text of the error before it breaks the connection.
    await Promise.allSettled([call().then((response) => response.text())]);
    await waitUntil(() => settled.length > 0);
    expect([calls, await usedOf()]).toEqual([[false], 1]);
  });

  test('a call that a second limit refuses settles as a failure', async () => {
    const second = definePolicy({ name: 'second', levels: [{ level: 'ip', limit: 1, windowMs: 60_000 }] });
    const policies = [policyOf('successes'), second as unknown as TestPolicy];
    const { call, settled, usedOf } = await serve({ policies, handle: () => ({ status: 200, body: '' }) });
    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(429);
    await waitUntil(() => settled.length === 2);
    expect(await usedOf()).toBe(COST);
  });

  test('units that are no whole number keep the cost, with a warning', async () => {
    const { call, warnings, usedOf } = await serve({
      policies: [policyOf('units')],
      settle: () => 1.5,
      handle: () => ({ status: 200, body: 'done' }),
    });
    await call();
    await waitUntil(() => warnings.length > 0);
    expect(warnings).toEqual([
      expect.stringMatching(/^Policy "page": settle failed: .*The call keeps its 3 units\.$/),
    ]);
    expect(await usedOf()).toBe(COST);
  });
});
