import type { Context } from 'hono';
import { Hono } from 'hono';
import type { NextRequest } from 'next/server';
import { expect, expectTypeOf, test } from 'vitest';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';
import { type ExpressLimitOptions, rateLimit as limitExpress } from './express';
import type { FastifyLimitOptions } from './fastify';
import { type FetchLimitOptions, rateLimit as limitFetch } from './fetch';
import { type HonoLimitOptions, rateLimit as limitHono } from './hono';
import type { RateLimitErrorData, RateLimitedError } from './trpc';

const limiter = createLimiter({ store: memoryStore(), secret: 's'.repeat(32) });
const policy = definePolicy({ name: 'page', levels: [{ level: 'user', limit: 9, windowMs: 1_000 }] });
type TestPolicy = typeof policy;

/** The type with which Next.js checks a route handler. */
type RouteHandler = (
  request: NextRequest,
  context: { params: Promise<{ id: string }> },
) => Promise<Response> | Response;

test('a handler of Next.js takes a NextRequest, and params', () => {
  const limit = limitFetch({ limiter, policy, subjects: () => ({ user: 'ada' }) });
  const handle = limit(async (request: NextRequest, { params }: { params: Promise<{ id: string }> }) =>
    Response.json([request.nextUrl.pathname, (await params).id]),
  );
  expectTypeOf(handle).toExtend<RouteHandler>();
  expectTypeOf(limit(() => new Response())).toExtend<RouteHandler>();
  const byCookie = limitFetch({
    limiter,
    policy,
    subjects: (request: NextRequest) => ({ user: request.cookies.get('user')?.value ?? '' }),
    onRefused: (_refusal, request) => expectTypeOf(request).toEqualTypeOf<NextRequest>(),
  });
  expectTypeOf(byCookie((request) => Response.json(request.nextUrl.pathname))).toExtend<RouteHandler>();
});

test('subjects of Hono read the variables of the app without annotation', async () => {
  type AppEnv = { Variables: { user: { id: string } } };
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set('user', { id: 'ada' });
    await next();
  });
  const limit = limitHono({ limiter, policy, subjects: (c) => ({ user: c.get('user').id }) });
  app.get('/', limit, (c) => {
    expectTypeOf(c.get('user')).toEqualTypeOf<{ id: string }>();
    return c.text(c.get('user').id);
  });
  limitHono({
    limiter,
    policy,
    subjects: (c: Context<AppEnv>) => ({ user: c.get('user').id }),
    skip: (c) => expectTypeOf(c.get('user').id).toEqualTypeOf<string>() === undefined,
  });
  expect(await (await app.request('/')).text()).toBe('ada');
});

test('every refusal has retryAfterMs', () => {
  type Refusals =
    | ExpressLimitOptions<TestPolicy>
    | FastifyLimitOptions<TestPolicy>
    | FetchLimitOptions<TestPolicy>
    | HonoLimitOptions<TestPolicy, object>;
  type Refusal = Parameters<NonNullable<Refusals['onRefused']>>[0];
  expectTypeOf<Refusal['retryAfterMs']>().toEqualTypeOf<number | null>();
  expectTypeOf<RateLimitedError['decision']['retryAfterMs']>().toEqualTypeOf<number | null>();
  expectTypeOf<RateLimitErrorData['retryAfterMs']>().toEqualTypeOf<number | null>();
});

test('subjects must have the names of the policy', () => {
  // @ts-expect-error the subject `user` is missing.
  limitExpress({ limiter, policy, subjects: () => ({ usr: 'ada' }) });
  // @ts-expect-error the policy counts by more than the address.
  limitExpress({ limiter, policy });
  // @ts-expect-error the subject `user` is missing.
  limitHono({ limiter, policy, subjects: (c) => ({ usr: c.get('user').id }) });
});
