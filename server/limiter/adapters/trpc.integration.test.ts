import { initTRPC, TRPCError } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import type { Decision } from '../decide/decision';
import { createLimiter, type Limiter } from '../limiter';
import { keyedBy, type Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { rateLimitHeaders } from './headers';
import { declaredPolicies } from './policies-of';
import { type RateLimitContext, rateLimit, rateLimitErrorData, unlimited } from './trpc';

let redis: RedisClient;
let limiter: Limiter;
let warnings: string[];
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

/** Replaces the limiter and its warnings. */
function startLimiter(options: { timeoutMs?: number } = {}): void {
  warnings = [];
  limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
}

describe('the middleware', () => {
  interface Context extends RateLimitContext {
    tenant: string;
  }

  const t = initTRPC.context<Context>().create();
  const window = { limit: 2, windowMs: 60_000 };
  const message = { en: 'Too many.', zh: '太多了。' };
  const emailInput = z.object({ email: z.string() });
  /** Read over the network in a real server. */
  const tokens = new Map(['one', 'two'].map((tenant) => [tenant, Promise.resolve(`token of ${tenant}`)]));
  const mailboxes = new Map(['ada', 'ada+1'].map((email) => [email, Promise.resolve('ada')]));
  const idInput = z.object({ id: z.uuid(), what: z.string().optional() });

  const ofUser = () =>
    t.procedure
      .use(rateLimit<Context>({ levels: [{ level: 'user', ...window }], message }))
      .query(() => 'ok');

  const router = t.router({
    shop: t.router({
      buy: t.procedure
        .use(
          rateLimit<Context>({
            levels: [{ level: 'user', ...window }],
            message,
            requestId({ input }) {
              const { data } = idInput.safeParse(input);
              return data && { id: data.id, input: data.what };
            },
          }),
        )
        .input(idInput.partial())
        .mutation(() => 'bought'),
      byTenant: t.procedure
        .use(
          rateLimit({
            levels: [{ level: 'tenant', by: ({ tenant }: Context) => tenant, ...window }],
            message,
          }),
        )
        .query(() => 'ok'),
      byEmail: t.procedure
        .use(
          rateLimit<Context>({
            levels: [
              {
                level: 'email',
                by: keyedBy(z.object({ email: z.email() }), ({ input }) => input.email),
                ...window,
              },
            ],
            message,
          }),
        )
        .input(z.object({ email: z.email(), more: z.string() }))
        .mutation(() => 'sent'),
      byTokenOfTenant: t.procedure
        .use(
          rateLimit<Context>({
            levels: [
              {
                level: 'tenant',
                by: async ({ tenant }) => (await tokens.get(tenant)) ?? undefined,
                ...window,
              },
              {
                level: 'email',
                by: keyedBy(emailInput, async ({ input }) => (await mailboxes.get(input.email)) ?? ''),
                ...window,
              },
            ],
            message,
          }),
        )
        .input(emailInput)
        .query(() => 'ok'),
      inputFirst: t.procedure
        .input(idInput)
        .use(rateLimit<Context>({ levels: [{ level: 'global', ...window }], message }))
        .query(() => 'ok'),
      sweep: t.procedure
        .use(
          rateLimit<Context>({
            levels: [
              { level: 'user', ...window, ifMissing: 'skip' },
              { level: 'global', limit: 3, windowMs: 60_000 },
            ],
            message,
          }),
        )
        .mutation(() => 'swept'),
      report: t.procedure
        .use(
          rateLimit<Context>({
            levels: [{ level: 'user', ...window, ifMissing: { subject: 'jobs' } }],
            message,
          }),
        )
        .mutation(() => 'reported'),
      queue: t.procedure
        .use(
          rateLimit<Context>({
            levels: [{ level: 'global', algorithm: 'leaky-bucket', limit: 3, windowMs: 300 }],
            message,
          }),
        )
        .mutation(() => performance.now()),
      free: t.procedure.use(unlimited).query(() => 'ok'),
      undeclared: t.procedure.query(() => 'ok'),
    }),
    paths: t.router({ get_user: ofUser(), 'get user': ofUser(), größe: ofUser() }),
  });

  beforeEach(() => startLimiter());

  function callAs(
    user: string | undefined,
    {
      language = 'en',
      tenant = 'one',
      signal,
    }: { language?: string; tenant?: string; signal?: AbortSignal } = {},
  ) {
    const decisions: Decision[] = [];
    const context = { rateLimit: { limiter, caller: { user }, language, decisions }, tenant };
    const { shop, paths } = t.createCallerFactory(router)(context, signal && { signal });
    return { decisions, shop, paths };
  }

  async function errorOf(call: Promise<unknown>): Promise<TRPCError> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof TRPCError) return error;
    throw new Error(`expected a TRPCError, got ${String(error)}`);
  }

  test('the policy has the name of its procedure, and its decision is added for the headers', async () => {
    const { shop, decisions } = callAs('ada');
    await shop.buy({});
    expect(decisions).toMatchObject([
      { allowed: true, policy: 'shop.buy', levels: [{ level: 'user', used: 1 }] },
    ]);
  });

  test('a refusal is TOO_MANY_REQUESTS with the policy text in the caller language and all error data', async () => {
    const { shop } = callAs('ada', { language: 'zh' });
    await shop.buy({});
    await shop.buy({});
    const error = await errorOf(shop.buy({}));
    expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS', message: '太多了。' });
    expect(error.stack, 'a flood consists of refusals').toBeUndefined();
    expect(Error.stackTraceLimit, 'of other errors').toBeGreaterThan(0);
    expect(rateLimitErrorData(error)).toEqual({
      rateLimit: {
        policy: 'shop.buy',
        level: 'user',
        algorithm: 'sliding-log',
        reason: 'limited',
        limit: 2,
        windowMs: 60_000,
        remaining: 0,
        retryAfterMs: expect.any(Number),
        bannedUntil: null,
      },
    });
  });

  test('a language without a text falls back to English', async () => {
    const { shop } = callAs('ada', { language: 'fr' });
    await Promise.all([shop.buy({}), shop.buy({})]);
    expect((await errorOf(shop.buy({}))).message).toBe('Too many.');
  });

  test('a call with invalid input is charged before it answers 400', async () => {
    const { shop, decisions } = callAs('ada');
    expect((await errorOf(shop.buy({ id: 'no uuid' }))).code).toBe('BAD_REQUEST');
    expect(decisions).toHaveLength(1);
  });

  test('the field that a level counts by is validated first: if it is invalid, nothing is charged', async () => {
    const { shop, decisions } = callAs(undefined);
    expect((await errorOf(shop.byEmail({ email: 'nobody', more: '' }))).code).toBe('BAD_REQUEST');
    expect(decisions).toHaveLength(0);
    await shop.byEmail({ email: 'ada@example.com', more: '' });
    expect(decisions).toMatchObject([{ levels: [{ level: 'email', used: 1 }] }]);
  });

  test('a level counts by a value of the context', async () => {
    await callAs('ada').shop.byTenant();
    await callAs('bob').shop.byTenant();
    expect((await errorOf(callAs('cleo').shop.byTenant())).code).toBe('TOO_MANY_REQUESTS');
    expect(await callAs('ada', { tenant: 'two' }).shop.byTenant()).toBe('ok');
  });

  test('a level counts by what a promise resolves to', async () => {
    await callAs(undefined, { tenant: 'one' }).shop.byTokenOfTenant({ email: 'ada' });
    const { shop, decisions } = callAs(undefined, { tenant: 'two' });
    await shop.byTokenOfTenant({ email: 'ada+1' });
    expect(decisions).toMatchObject([
      {
        levels: [
          { level: 'tenant', used: 1 },
          { level: 'email', used: 2 },
        ],
      },
    ]);
    const unknownTenant = await errorOf(
      callAs(undefined, { tenant: 'three' }).shop.byTokenOfTenant({ email: 'ada' }),
    );
    expect(unknownTenant.cause).toMatchObject({ name: 'MissingSubjectError' });
  });

  test('an empty subject answers 500 from the context and 400 from the caller, and nothing is charged', async () => {
    const ofContext = callAs(undefined, { tenant: '' });
    expect(await errorOf(ofContext.shop.byTenant())).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      cause: {
        name: 'MissingSubjectError',
        message: expect.stringContaining('Policy "shop.byTenant" counts by "tenant"'),
      },
    });
    expect((await errorOf(callAs('').shop.buy({}))).cause).toMatchObject({ name: 'MissingSubjectError' });
    const ofInput = callAs(undefined);
    expect(await errorOf(ofInput.shop.byTokenOfTenant({ email: 'nobody' }))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'email must not be empty.',
    });
    expect([...ofContext.decisions, ...ofInput.decisions]).toEqual([]);
  });

  test('an input that is parsed before the limit is an error of the first call, and nothing is charged', async () => {
    const { shop, decisions } = callAs('ada');
    const error = await errorOf(shop.inputFirst({ id: '2f0f2d8e-6a55-4b7b-9f0a-0d5a0d1c7a11' }));
    expect(error).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      cause: { name: 'ProcedureError', message: expect.stringContaining('Procedure "shop.inputFirst"') },
    });
    expect(decisions).toEqual([]);
  });

  test('a procedure whose path has other characters than a name is limited without a name', async () => {
    const { paths, decisions } = callAs('ada');
    for (const path of ['get_user', 'get user', 'größe'] as const) {
      await paths[path]();
      await paths[path]();
      expect((await errorOf(paths[path]())).code).toBe('TOO_MANY_REQUESTS');
    }
    const { headers } = new Response(null, { headers: rateLimitHeaders(decisions) });
    expect(headers.get('ratelimit-policy')).toBe(
      '"paths.get%0020user:user";q=2;w=60, "paths.get_user:user";q=2;w=60, "paths.gr%00f6%00dfe:user";q=2;w=60',
    );
  });

  test('a context that outlives its request keeps its last decisions', async () => {
    const { shop, decisions } = callAs('ada');
    for (let call = 0; call < 120; call += 1) await Promise.allSettled([shop.buy({}), shop.sweep()]);
    expect(decisions).toHaveLength(50);
    expect(decisions.at(-1)).toMatchObject({ allowed: false });
  });

  test('a call without the subject of a level is an error and is not admitted', async () => {
    const error = await errorOf(callAs(undefined).shop.buy({}));
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', cause: { name: 'MissingSubjectError' } });
  });

  test('with ifMissing skip, a level without a subject does not count, and warns once', async () => {
    const { shop, decisions } = callAs(undefined);
    for (let job = 0; job < 3; job += 1) await shop.sweep();
    expect(decisions.map(({ levels }) => levels.map(({ level }) => level))).toEqual(
      Array(3).fill(['global']),
    );
    expect(await errorOf(shop.sweep())).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(warnings).toEqual([expect.stringContaining('"shop.sweep:user"')]);
  });

  test('with a subject in ifMissing, calls without a subject count together, separate from all others', async () => {
    await callAs(undefined).shop.report();
    await callAs(undefined).shop.report();
    expect((await errorOf(callAs(undefined).shop.report())).code).toBe('TOO_MANY_REQUESTS');
    expect(await callAs('jobs').shop.report()).toBe('reported');
  });

  test('calls in a leaky bucket start one after another, and the queue is bounded', async () => {
    const { shop } = callAs('ada');
    const begun = performance.now();
    const outcomes = await Promise.allSettled([shop.queue(), shop.queue(), shop.queue(), shop.queue()]);
    const starts = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(starts).toHaveLength(3);
    // A third of the window apart, but for the clock of the timer, which may be a millisecond early.
    expect((starts[1] ?? 0) - begun).toBeGreaterThanOrEqual(99);
    expect((starts[2] ?? 0) - begun).toBeGreaterThanOrEqual(199);
  });

  test('a caller who disconnects before the start of its call leaves nothing behind', async () => {
    const leaving = new AbortController();
    const { shop } = callAs('ada', { signal: leaving.signal });
    await shop.queue();
    const waiting = errorOf(shop.queue());
    leaving.abort();
    expect(await waiting).toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  });

  test('a retried call is charged once', async () => {
    const { shop, decisions } = callAs('ada');
    const id = '2f0f2d8e-6a55-4b7b-9f0a-0d5a0d1c7a11';
    await shop.buy({ id });
    await shop.buy({ id });
    expect(decisions).toMatchObject([
      { replayed: false, levels: [{ used: 1 }] },
      { replayed: true, levels: [{ used: 1 }] },
    ]);
  });

  test('a request id with another input answers 409', async () => {
    const { shop, decisions } = callAs('ada');
    const id = '2f0f2d8e-6a55-4b7b-9f0a-0d5a0d1c7a11';
    await shop.buy({ id, what: 'one' });
    expect(await errorOf(shop.buy({ id, what: 'other' }))).toMatchObject({
      code: 'CONFLICT',
      message: 'This request id was already used with another input. Send a new one.',
    });
    expect(decisions).toHaveLength(1);
  });

  test('the declarations of a router are listed: policies, unlimited, or none', () => {
    const declared = declaredPolicies(router);
    expect(declared.get('shop.buy')).toMatchObject([{ levels: [{ level: 'user' }] }]);
    expect(declared.get('shop.free')).toEqual(['unlimited']);
    expect(declared.get('shop.undeclared')).toEqual([]);
  });
});

describe('conditions of levels', () => {
  interface Context extends RateLimitContext {
    /** The value that the condition reads. */
    isExpensive: boolean;
  }

  const t = initTRPC.context<Context>().create();
  const message = { en: 'Too many.' };
  const HOUR = 3_600_000;
  const TIMEOUT = { timeoutMs: 5_000 };

  const workInput = z.object({ id: z.string().optional() });
  const policy: Policy<Context> = {
    name: 'work',
    levels: [
      { level: 'user', limit: 5, windowMs: HOUR },
      { level: 'global', limit: 1, windowMs: HOUR, when: ({ context }) => context.isExpensive },
    ],
    message,
    requestId: ({ input }) => workInput.safeParse(input).data?.id,
  };

  const router = t.router({
    /** Answers how the call was admitted. */
    work: t.procedure
      .use(rateLimit(policy))
      .input(workInput)
      .mutation(({ ctx }) => ({
        replayed: ctx.admitted.replayed,
        isWhole: ctx.chargeExcluded === undefined,
      })),
    /** Charges the excluded level later, as for a call that turns out to be expensive. */
    workAfterAll: t.procedure
      .use(rateLimit(policy))
      .input(workInput)
      .mutation(({ ctx }) => ctx.chargeExcluded?.(TIMEOUT)),
    byEmail: t.procedure
      .use(
        rateLimit<Context>({
          levels: [
            {
              level: 'email',
              by: keyedBy(z.object({ email: z.email() }), ({ input }) => input.email),
              limit: 1,
              windowMs: HOUR,
              when: ({ context }) => context.isExpensive,
            },
          ],
          message,
        }),
      )
      .input(z.unknown())
      .mutation(() => 'done'),
  });

  beforeEach(() => {
    startLimiter({ timeoutMs: 5_000 });
    return () => expect(warnings).toEqual([]);
  });

  function callAs(user: string, { isExpensive }: { isExpensive: boolean }) {
    const decisions: Decision[] = [];
    const rateLimit = { limiter, caller: { user }, language: 'en', decisions };
    return { calls: t.createCallerFactory(router)({ rateLimit, isExpensive }), decisions };
  }

  /** Units in the windows of a user and of `global`. */
  async function used(user: string): Promise<number[]> {
    const { windows } = await limiter.peek(resolvePolicy(policy, 'work'), { user });
    return windows.map((window) => window.used);
  }

  const refusalBy = (level: string) =>
    expect.objectContaining({
      code: 'TOO_MANY_REQUESTS',
      cause: expect.objectContaining({
        decision: expect.objectContaining({ refusedBy: expect.objectContaining({ level }) }),
      }),
    });

  test('a level whose condition is false is not charged, and the headers name the others', async () => {
    const cheap = callAs('ada', { isExpensive: false });
    expect(await cheap.calls.work({})).toEqual({ replayed: false, isWhole: false });
    expect(await used('ada')).toEqual([1, 0]);
    expect(rateLimitHeaders(cheap.decisions)['ratelimit-policy']).toBe('"work:user";q=5;w=3600');

    const expensive = callAs('ada', { isExpensive: true });
    expect(await expensive.calls.work({})).toEqual({ replayed: false, isWhole: true });
    expect(await used('ada')).toEqual([2, 1]);
    expect(rateLimitHeaders(expensive.decisions)['ratelimit-policy']).toContain('"work:global"');
  });

  test('a full level that takes no part does not refuse the call', async () => {
    await callAs('ida', { isExpensive: true }).calls.work({});
    const { calls } = callAs('ada', { isExpensive: false });
    for (let admitted = 0; admitted < 5; admitted += 1) await calls.work({});
    await expect(calls.work({})).rejects.toEqual(refusalBy('user'));
  });

  test('an excluded level is charged alone, and both decisions are in the headers', async () => {
    const { calls, decisions } = callAs('ada', { isExpensive: false });
    await calls.workAfterAll({ id: 'one' });
    expect(await used('ada')).toEqual([1, 1]);
    const headers = rateLimitHeaders(decisions);
    expect(headers.ratelimit).toMatch(/^"work:user";r=4;t=\d+, "work:global";r=0;t=\d+$/);
  });

  test('an excluded level that refuses is the one that the headers name; the caller’s own level stays charged', async () => {
    await callAs('ida', { isExpensive: true }).calls.work({});
    const { calls, decisions } = callAs('ada', { isExpensive: false });
    await expect(calls.workAfterAll({ id: 'one' })).rejects.toEqual(refusalBy('global'));
    expect(await used('ada')).toEqual([1, 1]);
    const headers = rateLimitHeaders(decisions);
    expect(headers['ratelimit-policy']).toBe('"work:global";q=1;w=3600');
    expect(headers['retry-after']).toBe('3600');
  });

  test('a replay of an id that was charged without a level charges only that level', async () => {
    const { calls } = callAs('ada', { isExpensive: false });
    await calls.work({ id: 'one' });
    expect(await calls.work({ id: 'one' })).toMatchObject({ replayed: true });
    expect(await used('ada')).toEqual([1, 0]);
    await calls.workAfterAll({ id: 'one' });
    expect(await used('ada')).toEqual([1, 1]);
  });

  test('a request id is unused after its excluded level has refused the call', async () => {
    await callAs('ida', { isExpensive: true }).calls.work({});
    const { calls } = callAs('ada', { isExpensive: false });
    await expect(calls.workAfterAll({ id: 'one' })).rejects.toThrow(TRPCError);
    expect(await calls.work({ id: 'one' })).toMatchObject({ replayed: false });
  });

  test('a refused replay leaves its request id charged', async () => {
    const { calls } = callAs('ada', { isExpensive: false });
    await callAs('ada', { isExpensive: true }).calls.work({ id: 'one' });
    await expect(calls.workAfterAll({ id: 'one' })).rejects.toEqual(refusalBy('global'));
    expect(await calls.work({ id: 'one' })).toMatchObject({ replayed: true });
  });

  test('a level keyed by input does not validate the input of a call that its condition excludes', async () => {
    expect(await callAs('ada', { isExpensive: false }).calls.byEmail({ email: 1 })).toBe('done');
    await expect(callAs('ada', { isExpensive: true }).calls.byEmail({ email: 1 })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });
});
