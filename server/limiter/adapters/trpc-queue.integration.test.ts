import { initTRPC } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import type { Decision } from '../decide/decision';
import { createLimiter, type Limiter } from '../limiter';
import type { Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { createQueues } from '../queue/queues';
import { ioredisStore } from '../stores/ioredis-store';
import { rateLimitHeaders } from './headers';
import { type RateLimitContext, rateLimit } from './trpc';

interface Context extends RateLimitContext {
  /** The value that the condition of `global` reads. */
  isExpensive: boolean;
  /** The parts of a call that have run. */
  ran: string[];
}

const HOUR = 3_600_000;
const input = z.object({ id: z.string(), queue: z.boolean().optional() });
const message = { en: 'Too many.' };

const sale: Policy<Context> = {
  name: 'sale',
  levels: [
    { level: 'user', limit: 5, windowMs: HOUR },
    {
      level: 'global',
      limit: 1,
      windowMs: HOUR,
      when: ({ context }) => context.isExpensive,
      queue: {
        maxLength: 10,
        maxWaitMs: 10 * HOUR,
        ticket: (call) =>
          input.safeParse(call.input).data?.queue ? { group: 'tea', payload: 'of the call' } : undefined,
      },
    },
  ],
  message,
  requestId: (call) => input.safeParse(call.input).data?.id,
};
const later: Policy<Context> = {
  name: 'later',
  levels: [{ level: 'user', limit: 5, windowMs: HOUR }],
  message,
};

const t = initTRPC.context<Context>().create();
const limited = t.procedure
  .use(rateLimit(sale, { onQueued: ({ state, payload }) => `${state}, ${payload}` }))
  .use(rateLimit(later))
  .use(({ ctx, next }) => {
    ctx.ran.push('a later middleware');
    return next();
  })
  .input(input);
const router = t.router({
  buy: limited.mutation(async ({ ctx }): Promise<string> => {
    ctx.ran.push('before the charge');
    await ctx.chargeExcluded?.({ timeoutMs: 5_000 });
    ctx.ran.push('after the charge');
    return 'bought';
  }),
  /** Answers an error of the charge itself. */
  buyOrExplain: limited.mutation(async ({ ctx }): Promise<string> => {
    await ctx.chargeExcluded?.({ timeoutMs: 5_000 }).catch(() => ctx.ran.push('an explanation'));
    return 'cannot buy';
  }),
});

let redis: RedisClient;
let limiter: Limiter;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());
beforeEach(async () => {
  limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    queues: createQueues,
  });
  expect(await callAs('ida', { isExpensive: true }).calls.buy({ id: 'the only place' })).toBe('bought');
});

function callAs(user: string, { isExpensive }: { isExpensive: boolean }) {
  const decisions: Decision[] = [];
  const ran: string[] = [];
  const rateLimit = { limiter, caller: { user }, language: 'en', decisions };
  return { calls: t.createCallerFactory(router)({ rateLimit, isExpensive, ran }), decisions, ran };
}

/** Units in the windows of a user: of `sale`, of `global` and of the later policy. */
async function used(user: string): Promise<number[]> {
  const peeks = [sale, later].map((policy) => limiter.peek(resolvePolicy(policy, ''), { user }));
  return (await Promise.all(peeks)).flatMap(({ windows }) => windows.map((window) => window.used));
}

test('a call that waits runs no code of its procedure, and charges no later policy', async () => {
  const { calls, decisions, ran } = callAs('ada', { isExpensive: true });
  expect(await calls.buy({ id: 'one', queue: true })).toBe('waiting, of the call');
  expect(await calls.buy({ id: 'one', queue: true }), 'the same ticket').toBe('waiting, of the call');
  expect(ran).toEqual([]);
  expect(await used('ada')).toEqual([1, 1, 0]);
  expect(rateLimitHeaders(decisions)).toEqual({});
});

test('a call whose late charge ends in a ticket has run its code and its later policies once', async () => {
  const { calls, decisions, ran } = callAs('ada', { isExpensive: false });
  expect(await calls.buy({ id: 'one', queue: true })).toBe('waiting, of the call');
  expect(ran).toEqual(['a later middleware', 'before the charge']);
  expect(await used('ada')).toEqual([1, 1, 1]);
  expect(rateLimitHeaders(decisions)['ratelimit-policy'], 'the later policy').toBe('"later:user";q=5;w=3600');
});

test('a procedure cannot change the answer of a call that waits', async () => {
  const { calls, ran } = callAs('ada', { isExpensive: false });
  expect(await calls.buyOrExplain({ id: 'one', queue: true })).toBe('waiting, of the call');
  expect(ran).toEqual(['a later middleware', 'an explanation']);
});

test('a policy whose calls may wait, without an answer to them, is refused at once', () => {
  expect(() => rateLimit(sale)).toThrow(/levels\[1\]\.queue\.ticket [\s\S]* onQueued/);
  expect(() => rateLimit(later, { queued: () => '' } as object)).toThrow('Use onQueued.');
});
