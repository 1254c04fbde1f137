import { randomUUID } from 'node:crypto';
import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestContext } from '../../test/context';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import { policiesOf, rateLimit } from '../limiter/adapters/trpc';
import { createLimiter, keyedBy, type Limiter, type Policy } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import { policies } from '../policies';
import type { RedisClient } from '../redis/client';
import type { Context, User } from '../trpc/context';
import { createCallerFactory, publicProcedure, router } from '../trpc/procedures';
import { createLimitRouter } from './router';

const window = { limit: 5, windowMs: 60_000 };
const byLanguage = {
  name: 'test.language',
  levels: [
    { level: 'language', by: async ({ language }) => language, ...window },
    { level: 'code', by: keyedBy(z.object({ code: z.string() }), ({ input }) => input.code), ...window },
    { level: 'user', ...window, ifMissing: 'skip' },
    { level: 'global', ...window },
  ],
  message: { en: 'Too many.', zh: '太多了。' },
} satisfies Policy<Context>;

const limited = router({
  sendCode: publicProcedure.use(rateLimit(policies.sendCode)).mutation(() => 'sent'),
  verifyCode: publicProcedure.use(rateLimit(policies.verifyCode)).mutation(() => 'verified'),
  claim: publicProcedure.use(rateLimit(policies.claim)).mutation(() => 'claimed'),
  byLanguage: publicProcedure.use(rateLimit<Context>(byLanguage)).mutation(() => 'ok'),
});
const unused = Object.create(null);
const limit = createLimitRouter({ ...unused, policies: policiesOf(limited) });
const createCaller = createCallerFactory(router({ limited, limit }));

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

const ada: User = { id: 'ada', name: 'Ada', role: 'shopper' };

function callerOf({ user = null, ip = '192.0.2.1' }: { user?: User | null; ip?: string } = {}) {
  const context = createTestContext({ user, ip });
  for (const email of ['ada@example.com', 'bob@example.com']) context.browser.recordCodeRequest(email);
  return createCaller({ ...context, rateLimit: { ...context.rateLimit, limiter } });
}

/** A procedure without `.input()` takes its raw input all the same, as it does over HTTP. */
function send(call: () => Promise<unknown>, input: unknown): Promise<unknown> {
  return Reflect.apply(call, undefined, [input]);
}

test('a policy with an input returns the levels of the input and of the caller, and charges nothing', async () => {
  const { limited: procedures, limit: limits } = callerOf();
  const input = { email: ' Ada@Example.com' };
  await send(procedures.verifyCode, { email: 'ada@example.com', code: '1' });
  await send(procedures.verifyCode, { email: 'bob@example.com', code: '1' });
  for (let call = 0; call < 2; call += 1) {
    const { windows, serverNow } = await limits.mine({ policy: 'auth.verifyCode', input });
    expect(windows).toMatchObject([
      { policy: 'auth.verifyCode', level: 'email+ip', limit: 5, used: 1, hits: [expect.any(Number)] },
      { policy: 'auth.verifyCode', level: 'email', limit: 20, used: 1 },
      { policy: 'auth.verifyCode', level: 'email-daily', limit: 100, used: 1 },
      { policy: 'auth.verifyCode', level: 'ip', limit: 30, used: 2 },
    ]);
    expect(serverNow).toBeGreaterThan(0);
  }
  const elsewhere = await callerOf({ ip: '192.0.2.2' }).limit.mine({ policy: 'auth.verifyCode', input });
  expect(elsewhere.windows).toMatchObject([
    { level: 'email+ip', used: 0 },
    { level: 'email', used: 1 },
    { level: 'email-daily', used: 1 },
    { level: 'ip', used: 0 },
  ]);
});

test('a policy without an input returns the levels of the caller and of the context, and no global level', async () => {
  const { limited: procedures, limit: limits } = callerOf({ user: ada });
  await send(procedures.byLanguage, { code: 'x' });
  expect((await limits.mine({ policy: 'test.language' })).windows).toMatchObject([
    { level: 'language', used: 1 },
    { level: 'user', used: 1 },
  ]);
  const anonymous = await callerOf().limit.mine({ policy: 'test.language', input: { code: 'x' } });
  expect(anonymous.windows).toMatchObject([
    { level: 'language', used: 1 },
    { level: 'code', used: 1 },
  ]);
});

test('without a policy, all windows that count only the caller are returned', async () => {
  const { limit: limits } = callerOf({ user: ada });
  const names = async (input?: { policy?: string }) =>
    (await limits.mine(input)).windows.map(({ policy, level }) => `${policy}:${level}`);
  const all = ['auth.sendCode:ip', 'auth.verifyCode:ip', 'coupon.claim:user', 'test.language:user'];
  expect(await names()).toEqual(all);
  expect(await names({})).toEqual(all);
});

test('a policy without a subject for this caller returns no window, but the clock', async () => {
  const before = Date.now() - 60_000;
  const { windows, serverNow } = await callerOf().limit.mine({ policy: 'coupon.claim' });
  expect(windows).toEqual([]);
  expect(serverNow).toBeGreaterThan(before);
});

test.each([
  ['an unknown policy', { policy: 'auth.guess' }, 'NOT_FOUND', 'There is no policy "auth.guess".'],
  [
    'an input that the level does not take',
    { policy: 'auth.sendCode', input: { email: 'ada' } },
    'BAD_REQUEST',
    'email',
  ],
  [
    'an empty subject',
    { policy: 'test.language', input: { code: '' } },
    'BAD_REQUEST',
    'code must not be empty.',
  ],
  ['an input without a policy', { input: { email: 'ada@example.com' } }, 'BAD_REQUEST', 'name the policy'],
])('%s: the error names it', async (_case, input, code, message) => {
  const error = await callerOf()
    .limit.mine(input)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(TRPCError);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
});

test('a code requested by another caller counts in the window of its address', async () => {
  const email = `${randomUUID()}@example.com`;
  await send(callerOf({ ip: '192.0.2.7' }).limited.sendCode, { email });
  const { windows } = await callerOf().limit.mine({ policy: 'auth.sendCode', input: { email } });
  expect(windows.find(({ level }) => level === 'email')).toMatchObject({ used: 1, remaining: 2 });
});
