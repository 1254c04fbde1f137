import { EventEmitter, once } from 'node:events';
import { createTRPCClient, httpBatchLink, httpLink, TRPCClientError } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestContext } from '../../test/context';
import {
  type HttpResponse,
  openConnection,
  type RawRequest,
  sendRequest,
  startHttpServer,
} from '../../test/http-server';
import { waitUntil } from '../../test/wait-until';
import type { DecidingLimiter } from '../limiter/adapters/trpc';
import { rateLimit, unlimited } from '../limiter/adapters/trpc';
import type { Policy } from '../limiter/index';
import { createLog, createRefusalLog } from '../observability/log';
import type { Context } from '../trpc/context';
import { publicProcedure, router } from '../trpc/procedures';
import { setCookie } from './cookies';
import { createTrpcHandler } from './trpc-handler';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('calls are answered', () => {
  test('a query by GET, a mutation by POST', async () => {
    const { port } = await api();
    expect(await sendRequest(port, { path: '/api/trpc/echo?input=%22hi%22' })).toMatchObject({
      status: 200,
      body: '{"result":{"data":"hi"}}',
    });
    expect(await post(port, 'save', { text: 'hi' })).toMatchObject({
      status: 200,
      body: '{"result":{"data":{"saved":2}}}',
    });
  });

  test.each(['name:password@here', 'two words', '[', ''])('with any Host, such as "%s"', async (host) => {
    const { port } = await api();
    const answer = await sendRequest(port, { path: '/api/trpc/echo?input=%22hi%22', headers: { host } });
    expect(answer.status).toBe(200);
  });

  test('ten calls in a batch', async () => {
    const { port, calls } = await api();
    const answer = await sendRequest(port, {
      path: `/api/trpc/${Array(10).fill('save').join(',')}?batch=1`,
      ...saves(10),
    });
    expect(answer.status).toBe(200);
    expect(calls).toHaveLength(10);
  });

  test('a body of exactly 32 KiB, with non-ASCII text across chunks', async () => {
    const { port } = await api();
    const frame = JSON.stringify({ text: '' }).length;
    const body = JSON.stringify({ text: `${'x'.repeat(32 * 1024 - frame - 3)}抢` });
    expect(Buffer.byteLength(body)).toBe(32 * 1024);
    const saved = `{"result":{"data":{"saved":${32 * 1024 - frame - 2}}}}`;
    expect(
      await sendRequest(port, { path: '/api/trpc/save', method: 'POST', headers: JSON_TYPE, body }),
    ).toMatchObject({
      status: 200,
      body: saved,
    });
    const bytes = Buffer.from(body);
    const { waitForText, socket } = await openConnection(port);
    socket.write(head({ 'content-length': String(bytes.length) }));
    socket.write(bytes.subarray(0, -4));
    socket.write(bytes.subarray(-4));
    await waitForText(/saved/);
  });

  test('a body that begins with a byte order mark', async () => {
    const { port } = await api();
    const body = '\uFEFF{"text":"hi"}';
    const answer = await sendRequest(port, {
      path: '/api/trpc/save',
      method: 'POST',
      headers: JSON_TYPE,
      body,
    });
    expect(answer).toMatchObject({ status: 200, body: '{"result":{"data":{"saved":2}}}' });
  });

  test('a session that a call starts is set as a cookie, and the last one wins', async () => {
    const { port } = await api();
    const { headers } = await post(port, 'signIn', {});
    expect(headers['set-cookie']).toEqual(['session=Ann']);
  });
});

describe('a request that no procedure can answer is refused first', () => {
  const flood = (path: string) => ({ path: `/api/trpc/${path}` });
  const rows: [string, RawRequest, number][] = [
    [
      'eleven calls in a batch',
      { path: `/api/trpc/${Array(11).fill('save').join(',')}?batch=1`, ...saves(11) },
      400,
    ],
    ['a thousand queries in a batch', flood(`${Array(1000).fill('echo').join(',')}?batch=1`), 400],
    ['a thousand commas', flood(`${','.repeat(1000)}?batch=1`), 400],
    ['a comma flood without batch', flood(Array(1000).fill('echo').join(',')), 404],
    ['encoded commas', flood(`${Array(11).fill('echo').join('%2C')}?batch=1`), 400],
    ['an unknown procedure', flood('nothing'), 404],
    ['no procedure', { path: '/api/trpc/' }, 404],
    ['a name from the prototype', flood('__proto__'), 404],
    ['another', flood('constructor.prototype'), 404],
    ['a malformed escape in the path', flood('%E0%A4%A'), 400],
    ['a malformed escape in the input', flood('echo?input=%E0%A4%A'), 400],
    ['an input that is no JSON', flood('echo?input={'), 400],
    [
      'a body that is not JSON',
      { ...flood('save'), method: 'POST', headers: JSON_TYPE, body: '{"text":' },
      400,
    ],
    ['an empty body', { ...flood('save'), method: 'POST', headers: JSON_TYPE }, 400],
    [
      'a batch body that is not an object',
      { ...flood('save,save?batch=1'), method: 'POST', headers: JSON_TYPE, body: '1' },
      400,
    ],
    [
      'a form',
      { ...flood('save'), method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"text":"a"}' },
      415,
    ],
    [
      'a form with files',
      {
        ...flood('save'),
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x\r\ncontent-disposition: form-data; name="text"\r\n\r\na\r\n--x--',
      },
      415,
    ],
    ['a body of no type', { ...flood('save'), method: 'POST', body: '{"text":"a"}' }, 415],
    ['a mutation by GET', flood('save?input={"text":"a"}'), 405],
    ['a query by POST', { ...flood('echo'), method: 'POST', headers: JSON_TYPE, body: '"a"' }, 405],
    ['PUT', { ...flood('save'), method: 'PUT', headers: JSON_TYPE, body: '{"text":"a"}' }, 405],
    ['DELETE', { ...flood('save'), method: 'DELETE' }, 405],
    ['a preflight', { ...flood('save'), method: 'OPTIONS', headers: { origin: 'http://evil.example' } }, 405],
    ['a Host that is no host', { ...flood('echo'), headers: { host: 'a b' } }, 400],
    [
      'a body of 32 KiB and one',
      { ...flood('save'), method: 'POST', headers: JSON_TYPE, body: ' '.repeat(32 * 1024 + 1) },
      413,
    ],
    [
      'the same in chunks',
      { ...flood('save'), method: 'POST', headers: JSON_TYPE, body: Array(33).fill(' '.repeat(1024)) },
      413,
    ],
    [
      'the same for an unknown procedure',
      { ...flood('nothing'), method: 'POST', headers: JSON_TYPE, body: ' '.repeat(40_000) },
      413,
    ],
    [
      'a foreign page',
      {
        ...flood('save'),
        method: 'POST',
        headers: { ...JSON_TYPE, origin: 'http://evil.example' },
        body: '{"text":"a"}',
      },
      403,
    ],
    [
      'a page without an origin',
      { ...flood('save'), method: 'POST', headers: { ...JSON_TYPE, origin: 'null' }, body: '{"text":"a"}' },
      403,
    ],
  ];
  test.each(rows)('%s', async (_name, request, status) => {
    const { port, calls, lines } = await api();
    const answer = await sendRequest(port, request);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toMatchObject({ data: { httpStatus: status } });
    expect(calls).toEqual([]);
    expect(lines).toEqual([]);
  });

  test('405 lists the allowed methods, and no answer allows other sites', async () => {
    const { port } = await api();
    const { headers } = await sendRequest(port, { path: '/api/trpc/save', method: 'OPTIONS' });
    expect(headers.allow).toBe('GET, HEAD, POST');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a body that is too large', () => {
  test.each([
    ['with its length', { 'content-length': String(5 * 1024 * 1024) }, 'x'.repeat(1024 * 1024), 5, ''],
    [
      'in chunks',
      { 'transfer-encoding': 'chunked' },
      `100000\r\n${'x'.repeat(1024 * 1024)}\r\n`,
      5,
      '0\r\n\r\n',
    ],
  ])(
    'is answered before the client has sent it, %s, and its connection serves the next call',
    async (_name, fields, part, parts, last) => {
      const { port } = await api();
      const { socket, waitForText } = await openConnection(port);
      socket.write(head(fields));
      socket.write(part);
      await waitForText(/^HTTP\/1\.1 413 [\s\S]*PAYLOAD_TOO_LARGE/);
      for (let sent = 1; sent < parts; sent += 1) socket.write(part);
      socket.write(last);
      socket.write('GET /api/trpc/echo?input=%22next%22 HTTP/1.1\r\nhost: a\r\n\r\n');
      await waitForText(/HTTP\/1\.1 200 [\s\S]*"next"/);
    },
  );

  test('reaches a client that sends all before it reads', async () => {
    const { origin } = await api();
    const body = ' '.repeat(8 * 1024 * 1024);
    const answer = await fetch(`${origin}/api/trpc/save`, { method: 'POST', headers: JSON_TYPE, body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { data: { code: 'PAYLOAD_TOO_LARGE' } } });
  });
});

test('a client that disconnects during its body runs no procedure', async () => {
  const { port, calls, lines, handled } = await api();
  const { socket, closed } = await openConnection(port);
  socket.write(head({ 'content-length': '100' }));
  socket.write('{"text":');
  await handled.started;
  socket.destroy();
  await closed;
  await handled.ended;
  expect(calls).toEqual([]);
  expect(lines).toEqual([]);
});

test('the signals of all procedures of a connection abort when their caller disconnects', async () => {
  const { port, calls, handled } = await api();
  const { socket } = await openConnection(port);
  socket.write('GET /api/trpc/wait HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(3));
  await handled.started;
  socket.destroy();
  await waitUntil(() => calls.length === 3);
});

describe('Origin', () => {
  const call = (headers: Record<string, string>, port: number) =>
    post(port, 'save', { text: 'a' }, headers).then(({ status }) => status);

  test('of the product’s pages and an absent Origin pass', async () => {
    const { port, origin } = await api();
    expect(await call({ origin }, port)).toBe(200);
    expect(await call({}, port)).toBe(200);
  });

  test('is compared with the public origin if there is one', async () => {
    const { port, origin } = await api({ publicOrigin: 'https://sale.example.com' });
    expect(await call({ origin: 'https://sale.example.com' }, port)).toBe(200);
    expect(await call({ origin }, port)).toBe(403);
  });

  test('is ignored for a query, which changes nothing', async () => {
    const { port } = await api();
    const headers = { origin: 'http://evil.example' };
    expect(await sendRequest(port, { path: '/api/trpc/echo?input=1', headers })).toMatchObject({
      status: 400,
    });
    expect(await sendRequest(port, { path: '/api/trpc/echo?input=%221%22', headers })).toMatchObject({
      status: 200,
    });
  });

  test('of a foreign page is an error that tRPC’s own clients understand, single and in a batch', async () => {
    const { origin } = await api();
    const foreign = { url: `${origin}/api/trpc`, headers: { origin: 'http://evil.example' } };
    for (const link of [httpLink(foreign), httpBatchLink(foreign)]) {
      const client = createTRPCClient<TestRouter>({ links: [link] });
      const failures = await Promise.allSettled([
        client.save.mutate({ text: 'a' }),
        client.save.mutate({ text: 'b' }),
      ]);
      for (const failure of failures) {
        const reason = failure.status === 'rejected' ? failure.reason : undefined;
        expect(reason).toBeInstanceOf(TRPCClientError);
        expect(reason.data.code).toBe('FORBIDDEN');
      }
    }
  });
});

describe('a refused call', () => {
  test('has the retry time in headers and error, and writes one log line without the caller', async () => {
    const { port, lines } = await api();
    const answer = await sendRequest(port, { path: '/api/trpc/limited' });
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({
      'retry-after': '42',
      ratelimit: '"limited:user";r=0;t=42',
      'ratelimit-policy': '"limited:user";q=3;w=60',
    });
    expect(errorOf(answer)).toMatchObject({
      message: 'Too fast.',
      data: {
        code: 'TOO_MANY_REQUESTS',
        rateLimit: { policy: 'limited', level: 'user', retryAfterMs: 41_210 },
      },
    });
    await sendRequest(port, { path: '/api/trpc/limited' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'Calls were refused.', policy: 'limited', level: 'user' },
    ]);
  });

  test('in a mixed batch has its own status and keeps the headers', async () => {
    const { port } = await api();
    const answer = await sendRequest(port, { path: '/api/trpc/limited,echo?batch=1&input={"1":"a"}' });
    expect(answer.status).toBe(207);
    expect(answer.headers['retry-after']).toBe('42');
    expect(JSON.parse(answer.body)).toMatchObject([
      { error: { data: { httpStatus: 429 } } },
      { result: { data: 'a' } },
    ]);
  });
});

test('a bug answers 500 and is logged with its path', async () => {
  const { port, lines } = await api();
  expect((await sendRequest(port, { path: '/api/trpc/bug' })).status).toBe(500);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'A procedure failed.', path: 'bug', err: { message: 'a bug' } },
  ]);
});

const policy: Policy<Context> = {
  name: 'limited',
  levels: [{ level: 'user', limit: 3, windowMs: 60_000 }],
  message: { en: 'Too fast.' },
};

const full = {
  level: 'user',
  algorithm: 'sliding-log',
  limit: 3,
  windowMs: 60_000,
  used: 3,
  remaining: 0,
  retryAfterMs: 41_210,
  resetMs: 41_210,
} as const;

const refusing: DecidingLimiter = {
  ...createTestContext().rateLimit.limiter,
  decide: async ({ name }) => ({
    allowed: false,
    policy: name,
    now: 0,
    levels: [full],
    shadowRefusals: [],
    degraded: false,
    reason: 'limited',
    refusedBy: full,
    retryAfterMs: full.retryAfterMs,
  }),
};

function testRouter(calls: string[]) {
  return router({
    echo: publicProcedure
      .use(unlimited)
      .input(z.string())
      .query(({ input }) => input),
    save: publicProcedure
      .use(unlimited)
      .input(z.object({ text: z.string() }))
      .mutation(({ input }) => {
        calls.push(input.text);
        return { saved: input.text.length };
      }),
    signIn: publicProcedure.use(unlimited).mutation(({ ctx }) => {
      ctx.setSession(null);
      ctx.setSession({ user: { id: 'u1', name: 'Ann', role: 'shopper' }, version: 0 });
      return {};
    }),
    limited: publicProcedure.use(rateLimit(policy)).query(() => calls.push('limited')),
    wait: publicProcedure.use(unlimited).query(async ({ signal }) => {
      if (signal) await once(signal, 'abort');
      calls.push('left');
    }),
    bug: publicProcedure.use(unlimited).query(() => {
      throw new Error('a bug');
    }),
  });
}

type TestRouter = ReturnType<typeof testRouter>;

async function api({ publicOrigin }: { publicOrigin?: string } = {}) {
  const calls: string[] = [];
  const lines: string[] = [];
  const log = createLog({ level: 'info', stream: { write: (line: string) => lines.push(line) } });
  const handle = createTrpcHandler({
    router: testRouter(calls),
    publicOrigin,
    log,
    logRefusal: createRefusalLog({ log }),
    requestContext: async (_req, res) => {
      const context = createTestContext({ user: { id: 'u1', name: 'Ann', role: 'shopper' } });
      context.rateLimit.limiter = refusing;
      return { ...context, setSession: (session) => setCookie(res, `session=${session?.user.name ?? ''}`) };
    },
  });
  const progress = new EventEmitter();
  const handled = { started: once(progress, 'started'), ended: once(progress, 'ended') };
  const { port, origin } = await startHttpServer(async (req, res) => {
    progress.emit('started');
    await handle(req, res);
    progress.emit('ended');
  });
  return { port, origin, calls, lines, handled };
}

function post(
  port: number,
  path: string,
  input: unknown,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const body = JSON.stringify(input);
  return sendRequest(port, {
    path: `/api/trpc/${path}`,
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body,
  });
}

function saves(count: number): Omit<RawRequest, 'path'> {
  const inputs = Object.fromEntries(Array.from({ length: count }, (_each, index) => [index, { text: 'a' }]));
  return { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(inputs) };
}

/** The head of a POST as a client writes it. */
function head(fields: Record<string, string>): string {
  const lines = Object.entries({ host: 'a', ...JSON_TYPE, ...fields }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `POST /api/trpc/save HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function errorOf({ body }: HttpResponse): unknown {
  const answered = JSON.parse(body);
  return (Array.isArray(answered) ? answered[0] : answered).error;
}
