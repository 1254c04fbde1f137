import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type HttpResponse, type RawRequest, sendRequest, startHttpServer } from '../../test/http-server';
import { propertyRuns } from '../../test/property';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import { rateLimit, unlimited } from '../limiter/adapters/trpc';
import { createClientAddress, createLimiter, keyedBy, type Limiter, type Policy } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import { createLog } from '../observability/log';
import type { RedisClient } from '../redis/client';
import type { Context, User } from '../trpc/context';
import { publicProcedure, router, userProcedure } from '../trpc/procedures';
import { createRequestContext } from './request-context';
import { createSessions } from './session';
import { createShed } from './shed';
import { createTrpcHandler } from './trpc-handler';

const HOUR = 60 * 60 * 1000;
const message = { en: 'Too many.', zh: '太多了。' };
const policyOf = (name: string, ...levels: Policy<Context>['levels'][number][]): Policy<Context> => ({
  name,
  levels,
  message,
});
const user = { level: 'user', limit: 2, windowMs: HOUR };
const saleInput = z.object({ couponId: z.literal('c') });
const buyInput = z.object({ couponId: z.string(), requestId: z.uuid() });

const testRouter = router({
  buy: userProcedure
    .use(
      rateLimit<Context>({
        ...policyOf('buy', user, { level: 'global', limit: 3, windowMs: HOUR }),
        requestId: ({ input }) => buyInput.safeParse(input).data?.requestId,
      }),
    )
    .input(buyInput)
    .mutation(() => ({})),
  sell: userProcedure
    .use(
      rateLimit<Context>(
        policyOf('sell', {
          level: 'global',
          limit: 1,
          windowMs: HOUR,
          when: ({ input, context }) =>
            saleInput.safeParse(input).success && context.conditions.couldBuy({ couponId: '', userId: '' }),
        }),
      ),
    )
    .input(saleInput)
    .mutation(() => ({})),
  claim: userProcedure
    .use(
      rateLimit(policyOf('claim', { ...user, limit: 1, punishment: { warnAt: 1, banAt: 2, banMs: HOUR } })),
    )
    .mutation(() => ({})),
  view: publicProcedure
    .use(rateLimit(policyOf('view', { level: 'ip', limit: 1, windowMs: HOUR })))
    .query(() => ({})),
  mail: publicProcedure
    .use(
      rateLimit<Context>(
        policyOf('mail', {
          level: 'email',
          by: keyedBy(z.object({ email: z.string() }), ({ input }) => input.email),
          limit: 1,
          windowMs: HOUR,
        }),
      ),
    )
    .mutation(() => ({})),
  free: publicProcedure.use(unlimited).query(() => ({})),
});

const sessions = createSessions({ secrets: ['test'], secure: false });
const cookieOf = (id: string) =>
  sessions.createCookieHeader({ id, name: id, role: 'shopper' } satisfies User);

let redis: RedisClient;
let prefix: string;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
  prefix = freshPrefix();
});
afterAll(() => redis.quit());

/** The product's answers to a call, with or without shedding, and the number of shed requests. */
async function api({ limiter, isShedding }: { limiter: Limiter; isShedding: boolean }) {
  const clientAddress = createClientAddress({ trustedProxies: [] });
  const shedLines: unknown[] = [];
  const shared = { router: testRouter, publicOrigin: undefined };
  const conditions = { couldBuy: () => true };
  const requestContext = createRequestContext({
    ...{ limiter, conditions, sessions, clientAddress, secure: false },
    checkSession: async () => 'current',
  });
  const shed = createShed({
    ...shared,
    limiter,
    sessions,
    clientAddress,
    requestContext,
    headers: { 'cache-control': 'no-store' },
    logRefusal: (line) => shedLines.push(line),
  });
  const handle = createTrpcHandler({
    ...shared,
    requestContext,
    log: createLog({ level: 'silent' }),
    logRefusal: () => undefined,
  });
  const { port } = await startHttpServer(async (req, res) => {
    if (isShedding && (await shed(req, res))) return;
    res.setHeader('cache-control', 'no-store');
    return handle(req, res);
  });
  return { port, shedLines };
}

/** Two nodes on one store, of which one sheds. All windows are full, and ada and eve are banned. */
async function fullOnTwoNodes() {
  const newLimiter = () =>
    createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix,
      timeoutMs: 5_000,
    });
  // A new limiter has no cached denials, so the store decides each call.
  const forgetful: Limiter = { ...newLimiter(), decide: (...call) => newLimiter().decide(...call) };
  const nodes = {
    shedding: await api({ limiter: newLimiter(), isShedding: true }),
    plain: await api({ limiter: forgetful, isShedding: false }),
  };
  const fill = (path: string, id: string) =>
    sendRequest(nodes.shedding.port, post(path, { cookie: cookieOf(id) }, sale));
  for (const id of ['ada', 'ada', 'ada', 'bob', 'eve']) await fill('buy', id);
  for (const id of ['ada', 'ada']) await fill('sell', id);
  for (const id of ['ada', 'ada', 'ada', 'eve', 'eve', 'eve']) await fill('claim', id);
  for (const _time of [1, 2]) await sendRequest(nodes.shedding.port, { path: '/api/trpc/view' });
  return nodes;
}

function post(path: string, headers: Record<string, string> = {}, body = '{}'): RawRequest {
  const type = { 'content-type': 'application/json' };
  return { path: `/api/trpc/${path}`, method: 'POST', headers: { ...type, ...headers }, body };
}

/** An answer without its times and its framing. */
function timeless({ status, headers, body }: HttpResponse) {
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _keepAlive,
    'transfer-encoding': _chunked,
    'content-length': _length,
    ...fields
  } = headers;
  const times = /("retryAfterMs":|"bannedUntil":|;t=)\d+/g;
  return {
    status,
    body: body.replace(times, '$1…'),
    headers: JSON.stringify(Object.entries(fields).sort())
      .replace(times, '$1…')
      .replace(/("retry-after",)"\d+"/, '$1…'),
  };
}

/** Mostly the first value, because only regular requests are shed. */
const mostly = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
const sale = JSON.stringify({ couponId: 'c' });
const longSale = JSON.stringify({ couponId: 'c', more: 'x'.repeat(2_048) });
const tries = JSON.stringify({ couponId: 'c', requestId: '0b6e2f6e-5f0e-4d43-9e44-0a3d7f0d2c11' });
const requests = fc
  .record({
    method: fc.oneof(fc.constant('POST'), mostly('GET', 'HEAD', 'PUT')),
    paths: fc.oneof(
      fc.constantFrom(
        ['buy'],
        ['claim'],
        ['view'],
        ['sell'],
        ['buy', 'claim'],
        ['sell', 'buy'],
        ['view', 'view'],
        Array(10).fill('buy'),
      ),
      fc.array(fc.constantFrom('buy', 'sell', 'claim', 'view', 'mail', 'free', 'nothing', ''), {
        maxLength: 3,
      }),
      fc.constant(Array<string>(11).fill('buy')),
    ),
    query: fc.oneof(
      fc.constantFrom('', '?batch=1', '?batch=1&input=%7B%7D'),
      fc.constantFrom('?batch=0', '?lang=zh', '?input=%7B', '?connectionParams=x', '?input=#&batch=1'),
    ),
    body: fc.constantFrom('{}', '', '{', 'null', '{"0":{"couponId":"c"}}', tries, sale, longSale),
    cookie: fc.oneof(fc.constantFrom('ada', 'eve'), fc.constantFrom('forged', undefined)),
    language: fc.constantFrom('en', 'zh', 'fr', undefined),
    type: mostly(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'multipart/form-data',
      undefined,
    ),
    origin: mostly(undefined, 'null', 'https://elsewhere.example'),
    host: mostly(undefined, 'two words', 'name:password@here', '[', ''),
    accept: fc.constantFrom('application/jsonl', '*/*'),
    shown: mostly(undefined, 'ada', 'anonymous'),
  })
  .map(
    ({
      method,
      paths: named,
      query,
      body,
      cookie,
      language,
      type,
      origin,
      host,
      accept,
      shown,
    }): RawRequest => {
      const headers: Record<string, string> = { accept };
      if (cookie !== undefined)
        headers.cookie = cookie === 'forged' ? `${cookieOf('ada')}x` : cookieOf(cookie);
      if (language !== undefined) headers['accept-language'] = language;
      if (type !== undefined) headers['content-type'] = type;
      if (origin !== undefined) headers.origin = origin;
      if (host !== undefined) headers.host = host;
      if (shown !== undefined) headers['floodgate-user'] = shown;
      const request = { method, path: `/api/trpc/${named.join(',')}${query}`, headers };
      return method === 'GET' || method === 'HEAD' ? request : { ...request, body };
    },
  );

test('calls of a blocked level are shed with the answer of the procedures, also where a condition or a body decides', async () => {
  const newLimiter = () => {
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
    });
    const blocked = ['buy:user', 'sell:global', 'claim:user', 'view:ip'].map((name) => name.split(':'));
    limiter.setOverrides(
      blocked.map(([policy = '', level = '']) => ({ policy, level, mode: 'block' as const, version: 1 })),
    );
    return limiter;
  };
  const shedding = await api({ limiter: newLimiter(), isShedding: true });
  const plain = await api({ limiter: newLimiter(), isShedding: false });
  const cookie = cookieOf('ada');
  const calls = [post('buy', { cookie }), post('sell', { cookie }, sale), post('claim', { cookie })];
  for (const request of [...calls, { path: '/api/trpc/view' }]) {
    const answer = await sendRequest(shedding.port, request);
    expect(answer).toMatchObject({ status: 429, body: expect.stringContaining('"retryAfterMs":null') });
    expect(answer.headers).not.toHaveProperty('retry-after');
    expect(timeless(answer)).toEqual(timeless(await sendRequest(plain.port, request)));
  }
  expect(shedding.shedLines).toHaveLength(4);
  expect(shedding.shedLines[0]).toMatchObject({ reason: 'blocked', retryAfterMs: null });
});

describe('while everything is full', () => {
  test('a node that sheds gives the same answers as its procedures, except for times', async () => {
    const { shedding, plain } = await fullOnTwoNodes();
    const runs = propertyRuns(800);
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const [one, other] = [
          await sendRequest(shedding.port, request),
          await sendRequest(plain.port, request),
        ];
        expect(timeless(one)).toEqual(timeless(other));
      }),
      runs,
    );
    expect(shedding.shedLines.length).toBeGreaterThan(runs.numRuns / 40);
  });

  test.each([
    ['a call', post('buy', { cookie: cookieOf('bob') }), 1],
    ['a call whose body is no JSON', post('buy', { cookie: cookieOf('bob') }, '{'), 1],
    [
      'ten calls in a batch',
      post(`${Array(10).fill('buy').join(',')}?batch=1`, { cookie: cookieOf('bob') }),
      10,
    ],
    ['a banned call', post('claim', { cookie: cookieOf('ada') }), 1],
    ['a query', { path: '/api/trpc/view' }, 1],
    [
      'a call that the condition of the full level includes',
      post('sell', { cookie: cookieOf('bob') }, sale),
      1,
    ],
  ] satisfies [string, RawRequest, number][])('%s is shed, and counted', async (_what, request, count) => {
    const { shedding } = await fullOnTwoNodes();
    const before = shedding.shedLines.length;
    expect((await sendRequest(shedding.port, request)).status).toBe(429);
    expect(shedding.shedLines.length - before).toBe(count);
  });

  test('a batch of a client that reads streams is shed as JSON Lines', async () => {
    const { shedding } = await fullOnTwoNodes();
    const before = shedding.shedLines.length;
    const headers = { cookie: cookieOf('bob'), 'trpc-accept': 'application/jsonl' };
    const answer = await sendRequest(shedding.port, post('buy,buy?batch=1', headers));
    expect(answer.status).toBe(207);
    expect(JSON.parse(answer.body)).toMatchObject({ 0: [[{ error: { data: { httpStatus: 429 } } }]] });
    expect((await sendRequest(shedding.port, post('buy?batch=1', headers))).status).toBe(429);
    expect(shedding.shedLines.length - before).toBe(3);
  });

  test.each([
    ['an anonymous caller', post('buy'), 401],
    ['a policy keyed by input', post('mail', {}, '{"email":"a"}'), undefined],
    ['a refusal that punishes', post('claim', { cookie: cookieOf('ida') }), undefined],
    ['a batch with one call without a limit', { path: '/api/trpc/view,free?batch=1' }, 207],
    ['a foreign page', post('buy', { cookie: cookieOf('bob'), origin: 'https://elsewhere.example' }), 403],
    [
      'a call that the condition of the full level excludes',
      post('sell', { cookie: cookieOf('bob') }, '{"couponId":"d"}'),
      400,
    ],
    ['a body that is no JSON for a condition', post('sell', { cookie: cookieOf('bob') }, '{'), 400],
    ['a condition with a body over 2 kB', post('sell', { cookie: cookieOf('bob') }, longSale), 429],
    ['a batch with a condition', post('sell?batch=1', { cookie: cookieOf('bob') }, `{"0":${sale}}`), 429],
    ['an oversized body', post('buy', { cookie: cookieOf('bob') }, ' '.repeat(33_000)), 413],
  ] satisfies [string, RawRequest, number | undefined][])(
    '%s is not shed',
    async (_what, request, status) => {
      const { shedding } = await fullOnTwoNodes();
      const before = shedding.shedLines.length;
      const answer = await sendRequest(shedding.port, request);
      if (status !== undefined) expect(answer.status).toBe(status);
      expect(shedding.shedLines.length).toBe(before);
    },
  );
});
