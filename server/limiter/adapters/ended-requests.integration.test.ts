import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2';
import type { Server as NetServer } from 'node:net';
import { Readable } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { openConnection } from '../../../test/http-server';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import type { Decision } from '../decide/decision';
import { createLimiter, type Limiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { rateLimit as limitExpress } from './express';
import { rateLimit as limitFastify } from './fastify';
import { rateLimit as limitFetch } from './fetch';
import { rateLimit as limitHono } from './hono';
import type { NodeRequest } from './request-end';
import { createTrpcLimits, rateLimit as limitTrpc, type RateLimitContext, unlimited } from './trpc';

/** Its leases do not end by themselves during a test, and its units count what is settled. */
const policy = definePolicy({
  name: 'page',
  levels: [
    { level: 'ip', concurrent: 5, leaseMs: 600_000 },
    { level: 'global', limit: 100, windowMs: 600_000 },
  ],
  message: { en: 'Too many.' },
  settle: 'failures',
});

interface App {
  limiter: Limiter;
  /** Settles each call of an adapter at its end. */
  settle: (response: unknown, call: { isComplete: boolean }) => number;
  /** Runs before the decision of each limited call. */
  beforeDecision: (req: NodeRequest, respond: () => void) => Promise<void>;
  /** The handler of the limited route. */
  handle: () => Promise<string>;
}

interface Framework {
  name: string;
  protocol: 'HTTP/1' | 'HTTP/2';
  /** Opens a server with a limited route `/limited` and a route `/slow`, which does not answer. */
  open(app: App): Promise<NetServer>;
}

const never = () => new Promise<never>(() => undefined);

async function openExpress({ limiter, settle, beforeDecision, handle }: App): Promise<Server> {
  const app = express();
  const limit = limitExpress({
    limiter,
    policy,
    settle,
    async subjects(req) {
      await beforeDecision(req, () => req.res?.send('early'));
      return {};
    },
  });
  app.get('/slow', never);
  app.get('/limited', limit, async (_req, res) => void res.send(await handle()));
  return createServer(app);
}

const openFastify =
  (protocol: Framework['protocol']) =>
  async ({ limiter, settle, beforeDecision, handle }: App): Promise<NetServer> => {
    // Both kinds of server have different types.
    const app = Fastify(protocol === 'HTTP/2' ? ({ http2: true } as object) : {});
    const limit = limitFastify({
      limiter,
      policy,
      settle,
      async subjects(request) {
        await beforeDecision(request.raw, () => request.raw.emit('respond'));
        return {};
      },
    });
    const onRequest = [
      async (request: { raw: IncomingMessage }, reply: { send(text: string): unknown }) =>
        void request.raw.once('respond', () => reply.send('early')),
      limit,
    ];
    app.get('/slow', never);
    app.get('/limited', { onRequest }, handle);
    await app.ready();
    return app.server;
  };

const openHono =
  (protocol: Framework['protocol']) =>
  async ({ limiter, settle, beforeDecision, handle }: App): Promise<NetServer> => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    const limit = limitHono<typeof policy, { Bindings: HttpBindings }>({
      limiter,
      policy,
      settle,
      async subjects(c) {
        await beforeDecision(c.env.incoming, () => undefined);
        return {};
      },
    });
    app.get('/slow', never);
    app.get('/limited', limit, async (c) => c.text(await handle()));
    return createAdaptorServer({
      fetch: app.fetch,
      ...(protocol === 'HTTP/2' && { createServer: createHttp2Server }),
    }) as NetServer;
  };

async function openTrpc({ limiter, beforeDecision, handle }: App): Promise<Server> {
  const { createContext } = createTrpcLimits({ limiter });
  const t = initTRPC.context<RateLimitContext>().create();
  const router = t.router({
    slow: t.procedure.use(unlimited).query(never),
    limited: t.procedure.use(limitTrpc(policy)).mutation(handle),
  });
  return createServer(
    createHTTPHandler({
      router,
      async createContext(options) {
        const context = createContext(options);
        if (options.req.url !== '/slow') await beforeDecision(options.req, () => undefined);
        return context;
      },
    }),
  );
}

const frameworks: Framework[] = [
  { name: 'Express', protocol: 'HTTP/1', open: openExpress },
  { name: 'Fastify', protocol: 'HTTP/1', open: openFastify('HTTP/1') },
  { name: 'Fastify', protocol: 'HTTP/2', open: openFastify('HTTP/2') },
  { name: 'Hono', protocol: 'HTTP/1', open: openHono('HTTP/1') },
  { name: 'Hono', protocol: 'HTTP/2', open: openHono('HTTP/2') },
];

async function openLimiter(onDecision?: (decision: Decision | undefined) => void) {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  const limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    // The tests that run at the same time may take all of the processor.
    timeoutMs: 10_000,
    onDecision: ({ decision }) => onDecision?.(decision),
  });
  return { limiter };
}

/** Opens a server whose handlers do not return by default, and counts what happens in it. */
async function openApp(
  open: Framework['open'],
  { handle = never, ...options }: Partial<Pick<App, 'beforeDecision' | 'handle'>> = {},
) {
  const counts = { calls: 0, admitted: 0, runs: 0, complete: 0, left: 0 };
  const { limiter } = await openLimiter((decision) => {
    if (decision?.allowed) counts.admitted += 1;
  });
  const server = await open({
    limiter,
    async beforeDecision(...request) {
      counts.calls += 1;
      await options.beforeDecision?.(...request);
    },
    async handle() {
      counts.runs += 1;
      return await handle();
    },
    settle(_response, { isComplete }) {
      counts[isComplete ? 'complete' : 'left'] += 1;
      return 1;
    },
  });
  const port = await listenOnFreePort(server);
  onTestFinished(() => void server.close());
  const usedOf = async () => (await limiter.peek(policy, { ip: '127.0.0.1' })).windows[0]?.used;
  return { counts, port, usedOf };
}

/** Sends requests on one connection: behind a slow one in HTTP/1, as streams in HTTP/2. Returns a function that ends them. */
async function sendLimited(port: number, { protocol, count }: { protocol: string; count: number }) {
  if (protocol === 'HTTP/1') {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const { socket } = await openConnection(port);
    socket.write(get('/slow') + get('/limited').repeat(count));
    return () => socket.destroy();
  }
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const streams = Array.from({ length: count }, () => session.request({ ':path': '/limited' }));
  return () => {
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  };
}

/** Waits until the server has seen the end of a request. */
const waitForEnd = async (req: NodeRequest) =>
  void (await once((req.stream ?? req.socket) as never, 'close'));

describe.each(frameworks)('$name, $protocol', ({ open, protocol }) => {
  test('all requests of a connection end with it, or with their streams: their leases, and their settling', async () => {
    const { port, counts, usedOf } = await openApp(open);
    const leave = await sendLimited(port, { protocol, count: 5 });
    await waitUntil(() => counts.runs === 5);
    expect(await usedOf()).toBe(5);
    leave();
    await waitUntil(async () => (await usedOf()) === 0);
    expect(counts).toMatchObject({ complete: 0, left: 5 });
  });

  test('a request whose response was sent settles as complete, on an open connection', async () => {
    const { port, counts, usedOf } = await openApp(open, { handle: async () => 'ok' });
    if (protocol === 'HTTP/2') await sendLimited(port, { protocol, count: 3 });
    else await Promise.all([1, 2, 3].map(() => fetch(`http://127.0.0.1:${port}/limited`)));
    await waitUntil(() => counts.complete === 3);
    await waitUntil(async () => (await usedOf()) === 0);
    expect(counts.left).toBe(0);
  });

  test('a caller who has gone before the decision gets no handler run and leaves no lease', async () => {
    const { port, counts, usedOf } = await openApp(open, { beforeDecision: waitForEnd });
    const leave = await sendLimited(port, { protocol, count: 5 });
    await waitUntil(() => counts.calls === 5);
    leave();
    await waitUntil(() => counts.admitted === 5);
    await waitUntil(async () => (await usedOf()) === 0);
    expect(counts.runs).toBe(0);
  });
});

describe.each([
  { name: 'Express', open: openExpress },
  { name: 'Fastify', open: openFastify('HTTP/1') },
])('$name', ({ open }) => {
  test('a response that was sent before the decision keeps its connection and no lease', async () => {
    const { port, counts, usedOf } = await openApp(open, {
      beforeDecision: async (_req, respond) => respond(),
    });
    const { socket, waitForText } = await openConnection(port);
    for (const sent of [/early$/, /early[\s\S]*early$/]) {
      socket.write('GET /limited HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await waitForText(sent);
    }
    await waitUntil(() => counts.admitted === 2);
    await waitUntil(async () => (await usedOf()) === 0);
    expect(counts.runs).toBe(0);
    expect(socket.destroyed).toBe(false);
  });
});

test('the lease of a half-sent body ends with the time limit of the server', async () => {
  const { port, counts, usedOf } = await openApp(async ({ limiter, handle }) => {
    const app = express();
    app.post('/limited', limitExpress({ limiter, policy }), handle);
    return createServer({ requestTimeout: 500, headersTimeout: 500, connectionsCheckingInterval: 50 }, app);
  });
  const { socket, waitForText, closed } = await openConnection(port);
  socket.write('POST /limited HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nhalf');
  await waitUntil(() => counts.runs === 1);
  await waitForText(/^HTTP\/1.1 408/);
  await closed;
  await waitUntil(async () => (await usedOf()) === 0);
});

describe('tRPC', () => {
  test('a caller who has gone before the decision gets no procedure run and leaves no lease', async () => {
    const { port, counts, usedOf } = await openApp(openTrpc, { beforeDecision: waitForEnd });
    const { socket } = await openConnection(port);
    const head = 'POST /limited HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json';
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n');
    socket.write(`${head}\r\ncontent-length: 2\r\n\r\n{}`.repeat(5));
    await waitUntil(() => counts.calls === 5);
    socket.destroy();
    await waitUntil(() => counts.admitted === 5);
    await waitUntil(async () => (await usedOf()) === 0);
    expect(counts.runs).toBe(0);
  });
});

/** The adapters that see the end of a response in its body. Each returns the function that makes a call. */
const bodied: { name: string; limit: (app: App) => (request: Request) => Promise<Response> }[] = [
  {
    name: 'Fetch',
    limit: ({ limiter, settle }) =>
      limitFetch({ limiter, policy, settle, subjects: () => ({ ip: '127.0.0.1' }) })(respond),
  },
  {
    name: 'Hono without a socket',
    limit({ limiter, settle }) {
      const limit = limitHono({ limiter, policy, settle, subjects: () => ({ ip: '127.0.0.1' }) });
      const app = new Hono().all('/', limit, (c) => respond(c.req.raw));
      return async (request) => app.fetch(request);
    },
  },
];

/** Answers with the chunks `one`, `two`, or without a body. */
function respond({ headers }: Request): Response {
  if (headers.has('empty')) return new Response(null, { status: 204 });
  const body = Readable.toWeb(Readable.from(['one', 'two'].map((text) => Buffer.from(text))));
  return new Response(body as BodyInit);
}

describe.each(bodied)('$name', ({ limit }) => {
  async function openBodied() {
    let call = async (_request: Request) => new Response();
    const app = await openApp(async (options) => {
      call = limit(options);
      return createServer();
    });
    return { ...app, send: (init?: RequestInit) => call(new Request('http://localhost/', init)) };
  }

  test('a lease is held, and its call not settled, until the body was read', async () => {
    const { send, counts, usedOf } = await openBodied();
    const response = await send();
    expect([counts.complete, await usedOf()]).toEqual([0, 1]);
    expect(await response.text()).toBe('onetwo');
    expect([counts.complete, await usedOf()]).toEqual([1, 0]);
  });

  test.each([
    ['without a body', { headers: { empty: '1' } }],
    ['to HEAD, whose body is not read', { method: 'HEAD' }],
  ])('a response %s ends at once', async (_name, init) => {
    const { send, counts, usedOf } = await openBodied();
    await send(init);
    expect([counts.complete, await usedOf()]).toEqual([1, 0]);
  });

  test.each(['cancels the body', 'aborts its request'])('a caller who %s ends the call', async (way) => {
    const { send, counts, usedOf } = await openBodied();
    const caller = new AbortController();
    const { body } = await send({ signal: caller.signal });
    const reader = body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('one');
    if (way === 'cancels the body') await reader?.cancel();
    else caller.abort();
    await waitUntil(async () => (await usedOf()) === 0);
    expect(counts).toMatchObject({ complete: 0, left: 1 });
  });
});

describe('Fetch', () => {
  test('a body that is not read holds its lease for one length of it', async () => {
    const brief = definePolicy({ name: 'brief', levels: [{ level: 'user', concurrent: 1, leaseMs: 300 }] });
    const { limiter } = await openLimiter();
    const limited = limitFetch({ limiter, policy: brief, subjects: () => ({ user: 'ada' }) })(respond);
    expect((await limited(new Request('http://localhost/'))).status).toBe(200);
    expect((await limited(new Request('http://localhost/'))).status).toBe(429);
    // Unread, the lease would be renewed for ever.
    await waitUntil(async () => (await limiter.peek(brief, { user: 'ada' })).windows[0]?.used === 0);
  });

  async function openFetch() {
    const leaving = new AbortController();
    let call: (() => Promise<Response>) | undefined;
    const { counts, usedOf } = await openApp(async ({ limiter, beforeDecision, handle }) => {
      const limited = limitFetch({
        limiter,
        policy,
        async subjects() {
          await beforeDecision({ socket: {} }, () => undefined);
          return { ip: '127.0.0.1' };
        },
      })(async () => new Response(await handle()));
      call = () => limited(new Request('http://localhost/', { signal: leaving.signal }));
      return createServer();
    });
    return { counts, usedOf, leaving, call: () => call?.() };
  }

  test('a lease ends when the signal of its request aborts', async () => {
    const { call, counts, usedOf, leaving } = await openFetch();
    void call();
    await waitUntil(() => counts.runs === 1);
    expect(await usedOf()).toBe(1);
    leaving.abort();
    await waitUntil(async () => (await usedOf()) === 0);
  });

  test('a caller who has gone before the decision gets no handler run and leaves no lease', async () => {
    const { call, counts, usedOf, leaving } = await openFetch();
    leaving.abort();
    expect((await call())?.status).toBe(499);
    expect(counts).toMatchObject({ calls: 1, admitted: 1, runs: 0 });
    await waitUntil(async () => (await usedOf()) === 0);
  });
});
