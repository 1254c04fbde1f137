import { initTRPC, TRPCError } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import type { RedisClient } from '../redis/client';
import type { Decision } from './decision';
import { rateLimitHeaders } from './headers';
import { createLimiter, type Limiter } from './limiter';
import { keyedBy, type Policy, resolvePolicy } from './policy';
import { type RateLimitContext, rateLimit } from './trpc';

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
    .mutation(({ ctx }) => ({ replayed: ctx.admitted.replayed, isWhole: ctx.chargeExcluded === undefined })),
  /** Finds out that the call is expensive after all. */
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

let redis: RedisClient;
let limiter: Limiter;
let warnings: string[];
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());
beforeEach(() => {
  warnings = [];
  limiter = createLimiter({
    ...{ redis, secret: 'test', prefix: freshPrefix(), timeoutMs: 5_000 },
    onWarning: (warning) => warnings.push(warning),
  });
  return () => expect(warnings).toEqual([]);
});

function callAs(user: string, { isExpensive }: { isExpensive: boolean }) {
  const decisions: Decision[] = [];
  const rateLimit = { limiter, caller: { user }, language: 'en', decisions };
  return { calls: t.createCallerFactory(router)({ rateLimit, isExpensive }), decisions };
}

/** Units in the windows of a user and of `global`. */
async function used(user: string): Promise<number[]> {
  const { windows } = await limiter.peek(resolvePolicy(policy, 'work'), { subjects: [user, ''] });
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
