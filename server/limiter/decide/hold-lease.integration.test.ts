import { initTRPC } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import type { RedisClient } from '../../redis/client';
import { type RateLimitContext, rateLimit } from '../adapters/trpc';
import { createLimiter, type Limiter } from '../limiter';
import type { Policy } from '../policy/policy';
import { ioredisStore } from '../stores/ioredis-store';

interface Context extends RateLimitContext {
  /** The work of a call. */
  run: () => Promise<string>;
}

const policy: Policy<Context> = {
  name: 'report',
  levels: [{ level: 'user', concurrent: 1, leaseMs: 60_000 }],
  message: { en: 'One report at a time.' },
};
const queued: Policy<Context> = {
  ...policy,
  name: 'queued',
  levels: [...policy.levels, { level: 'global', algorithm: 'leaky-bucket', limit: 10, windowMs: 1_000_000 }],
};
const counted: Policy<Context> = {
  name: 'counted',
  levels: [{ level: 'user', limit: 2, windowMs: 600_000 }],
  message: { en: 'Two reports in ten minutes.' },
};
const t = initTRPC.context<Context>().create();
const router = t.router({
  report: t.procedure.use(rateLimit(policy)).query(({ ctx }) => ctx.run()),
  both: t.procedure
    .use(rateLimit(policy))
    .use(rateLimit(counted))
    .query(({ ctx }) => ctx.run()),
  queued: t.procedure.use(rateLimit(queued)).query(({ ctx }) => ctx.run()),
});

let redis: RedisClient;
let limiter: Limiter;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());
beforeEach(() => {
  limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
  });
});

function callAs(user: string, run: Context['run'], signal?: AbortSignal) {
  const rateLimit = { limiter, caller: { user }, language: 'en', decisions: [] };
  return t.createCallerFactory(router)({ rateLimit, run }, signal && { signal });
}

const done = async () => 'done';

test('a call is refused while another of the user runs, and admitted after its end', async () => {
  let finish: (result: string) => void = () => undefined;
  const run = vi.fn(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const running = callAs('ada', run).report();
  await waitUntil(() => run.mock.calls.length > 0);
  await expect(callAs('ada', done).report()).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    message: 'One report at a time.',
  });
  expect(await callAs('bob', done).report()).toBe('done');
  finish('first');
  expect(await running).toBe('first');
  expect(await callAs('ada', done).report()).toBe('done');
});

test('a call that throws releases its lease', async () => {
  const failing = async () => {
    throw new Error('no paper');
  };
  await expect(callAs('ada', failing).report()).rejects.toThrow('no paper');
  expect(await callAs('ada', done).report()).toBe('done');
});

test('a call that is aborted before its start releases its lease', async () => {
  expect(await callAs('bob', done).queued()).toBe('done');
  const abort = new AbortController();
  const waiting = callAs('ada', done, abort.signal).queued();
  const refused = expect(waiting).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  abort.abort();
  await refused;
  const again = new AbortController();
  again.abort();
  await expect(callAs('ada', done, again.signal).queued()).rejects.toMatchObject({
    code: 'CLIENT_CLOSED_REQUEST',
  });
});

test('of two policies, a refusal by the first charges nothing, and one by the second releases the lease', async () => {
  let finish: (result: string) => void = () => undefined;
  const run = vi.fn(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const running = callAs('ada', run).both();
  await waitUntil(() => run.mock.calls.length > 0);
  for (let call = 0; call < 3; call += 1)
    await expect(callAs('ada', done).both()).rejects.toThrow('One report at a time.');
  finish('first');
  await running;
  expect(await callAs('ada', done).both()).toBe('done');
  for (let call = 0; call < 2; call += 1)
    await expect(callAs('ada', done).both()).rejects.toThrow('Two reports in ten minutes.');
});
