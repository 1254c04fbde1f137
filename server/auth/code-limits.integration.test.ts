import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestContext } from '../../test/context';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import { createLimiter, type Limiter, rateLimit, rateLimitErrorData } from '../limiter';
import { policies } from '../policies';
import type { RedisClient } from '../redis/client';
import { createCallerFactory, publicProcedure, router } from '../trpc/procedures';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const procedures = router({
  sendCode: publicProcedure.use(rateLimit(policies.sendCode)).mutation(() => 'sent'),
  verifyCode: publicProcedure.use(rateLimit(policies.verifyCode)).mutation(() => 'verified'),
});
const createCaller = createCallerFactory(procedures);

let redis: RedisClient;
let limiter: Limiter;
let now: number;

beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());
beforeEach(() => {
  now = Date.UTC(2030, 0, 1);
  limiter = createLimiter({ redis, secret: 'test', prefix: freshPrefix(), clock: () => now });
});

/** Calls from an address of its own, and answers the level that refused; undefined where none did. */
async function levelThatRefuses(
  procedure: keyof typeof procedures._def.record,
  { email, caller }: { email: string; caller: number },
): Promise<string | undefined> {
  const ip = `10.0.${Math.floor(caller / 200)}.${caller % 200}`;
  const context = createTestContext({ ip });
  const call = createCaller({ ...context, rateLimit: { ...context.rateLimit, limiter } })[procedure];
  try {
    await Reflect.apply(call, undefined, [{ email, code: '000000' }]);
    return undefined;
  } catch (error) {
    const refusal = error instanceof TRPCError && rateLimitErrorData(error).rateLimit;
    if (refusal) return refusal.level;
    throw error;
  }
}

test('one mailbox has a hundred tries a day, from any number of addresses', async () => {
  const tryCode = (caller: number) => levelThatRefuses('verifyCode', { email: 'ada@example.com', caller });
  const firstAt = now;
  for (let caller = 0; caller < 100; caller += 1) {
    expect(await tryCode(caller)).toBeUndefined();
    // Not more than twenty in ten minutes.
    now += 31_000;
  }
  expect(await tryCode(100)).toBe('email-daily');
  expect(await levelThatRefuses('verifyCode', { email: 'bob@example.com', caller: 100 })).toBeUndefined();
  now = firstAt + DAY - 1;
  expect(await tryCode(101)).toBe('email-daily');
  now += 1;
  expect(await tryCode(102)).toBeUndefined();
});

test('the address of a caller has a thousand mails a day, so that it cannot use up the total', async () => {
  limiter.setOverrides([{ policy: 'auth.sendCode', level: 'ip-daily', version: 1, limit: 40 }]);
  const sendCode = (mail: number) =>
    levelThatRefuses('sendCode', { email: `m${mail}@example.com`, caller: 1 });
  for (let mail = 0; mail < 40; mail += 1) {
    expect(await sendCode(mail)).toBeUndefined();
    now += MINUTE;
  }
  expect(await sendCode(40)).toBe('ip-daily');
  expect(await levelThatRefuses('sendCode', { email: 'm40@example.com', caller: 2 })).toBeUndefined();
});

test('the total number of mails is bounded over all callers and addresses', async () => {
  limiter.setOverrides([{ policy: 'auth.sendCode', level: 'mails', version: 1, limit: 40 }]);
  for (let caller = 0; caller < 40; caller += 1) {
    expect(await levelThatRefuses('sendCode', { email: `m${caller}@example.com`, caller })).toBeUndefined();
    now += MINUTE;
  }
  expect(await levelThatRefuses('sendCode', { email: 'one-more@example.com', caller: 40 })).toBe('mails');
});
