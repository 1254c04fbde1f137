import { initTRPC } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { sameSubject } from '../../test/call-subjects';
import { describeStores } from '../../test/limiter-stores';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import type { RedisClient } from '../redis/client';
import { byPlan } from './by-plan';
import type { Decision } from './decision';
import { createLimiter, type Limiter } from './limiter';
import type { LimiterOptions } from './limiter-options';
import { type Level, type Policy, type ResolvedPolicy, resolvePolicy } from './policy';
import type { ProcedureResult, Reservation } from './settle';
import { shared } from './shared-levels';
import { StoreUnavailableError } from './store-error';
import { EXCLUDED } from './subject';
import { type RateLimitContext, rateLimit } from './trpc';

let limiter: Limiter;
let warnings: string[];
let prefix: string;
const clock = { now: 1_795_226_300_000 };

function startLimiter(store: Pick<LimiterOptions, 'redis' | 'store'>): void {
  warnings = [];
  prefix = freshPrefix();
  limiter = createLimiter({
    ...{ ...store, secret: 'test', prefix, clock: () => clock.now },
    onWarning: (warning) => warnings.push(warning),
  });
}

const message = { en: 'Too many tokens.' };
const user: Level<unknown> = { level: 'user', limit: 10, windowMs: 1_000 };

/** A policy whose calls keep the units in their data. */
function keeping(fields: Partial<Policy<unknown>> = {}): ResolvedPolicy<unknown> {
  const settle: Policy<unknown>['settle'] = (outcome) => (outcome.ok ? Number(outcome.data) : outcome.cost);
  return resolvePolicy({ name: 'answer', levels: [user], cost: 8, settle, message, ...fields }, 'answer');
}

const send = (policy: ResolvedPolicy<unknown>, subject = 'ada') =>
  limiter.decide(policy, { subjects: sameSubject(policy, subject) });
const usedBy = async (policy: ResolvedPolicy<unknown>, subject = 'ada') =>
  (await limiter.peek(policy, { subjects: sameSubject(policy, subject) })).windows.map(({ used }) => used);

function reservationOf(decision: Decision): Reservation {
  if (!decision.allowed || !decision.reservation) throw new Error('the call has no reservation');
  return decision.reservation;
}
const keep = (data: number): ProcedureResult => ({ ok: true, data });

const tokens = z.object({ tokens: z.number() });
const t = initTRPC.context<RateLimitContext>().create();
const answerPolicy: Policy<RateLimitContext> = {
  name: 'answer',
  levels: [user],
  cost: 8,
  settle: (outcome) => (outcome.ok ? tokens.parse(outcome.data).tokens : 1),
  message,
};
const failuresPolicy: Policy<RateLimitContext> = { name: 'try', levels: [user], settle: 'failures', message };
const router = t.router({
  answer: t.procedure
    .use(rateLimit(answerPolicy))
    .input(tokens)
    .query(({ input }) => input),
  attempt: t.procedure
    .use(rateLimit(failuresPolicy))
    .input(z.boolean())
    .mutation(({ input }) => {
      if (!input) throw new Error('wrong');
    }),
});
const callAs = (name: string) =>
  t.createCallerFactory(router)({
    rateLimit: { limiter, caller: { user: name }, language: 'en', decisions: [] },
  });
const settledTo = (policy: Policy<RateLimitContext>, used: number) =>
  expect
    .poll(async () => {
      const { windows } = await limiter.peek(resolvePolicy(policy, ''), { subjects: { user: 'ada' } });
      return windows[0]?.used;
    })
    .toBe(used);

describeStores((current) => {
  beforeEach(() => startLimiter({ store: current.store }));

  test('a call counts its greatest cost until it is settled, and then the units that it keeps', async () => {
    const policy = keeping();
    const reservation = reservationOf(await send(policy));
    expect(await usedBy(policy)).toEqual([8]);
    expect(await send(policy)).toMatchObject({ allowed: false, refusedBy: { retryAfterMs: 1_000 } });
    clock.now += 400;
    expect(await limiter.settle(reservation, keep(2))).toBe(true);
    expect(await usedBy(policy)).toEqual([2]);
    expect(await send(policy)).toMatchObject({ allowed: true, levels: [{ used: 10 }] });
  });

  test('kept units leave one window after the call, not after its settling', async () => {
    const policy = keeping();
    const reservation = reservationOf(await send(policy));
    clock.now += 999;
    await limiter.settle(reservation, keep(3));
    expect(await usedBy(policy)).toEqual([3]);
    clock.now += 1;
    expect(await usedBy(policy)).toEqual([0]);
  });

  test('a call is settled once', async () => {
    const policy = keeping();
    const reservation = reservationOf(await send(policy));
    const replies = await Promise.all([5, 0, 0].map((kept) => limiter.settle(reservation, keep(kept))));
    expect(replies).toEqual([true, false, false]);
    expect(await usedBy(policy)).toEqual([5]);
  });

  test('a call that is not settled before settleMs keeps its units', async () => {
    const policy = keeping({ settleMs: 500 });
    const [late, inTime] = [
      reservationOf(await send(policy, 'late')),
      reservationOf(await send(policy, 'ada')),
    ];
    clock.now += 499;
    expect(await limiter.settle(inTime, keep(1))).toBe(true);
    clock.now += 1;
    expect(await limiter.settle(late, keep(1))).toBe(false);
    expect([await usedBy(policy, 'late'), await usedBy(policy, 'ada')]).toEqual([[8], [1]]);
  });

  test('settling returns the units of every level, except of one that did not charge them', async () => {
    const levels: Level<unknown>[] = [
      user,
      { level: 'fixed', by: () => '', algorithm: 'fixed-window', limit: 20, windowMs: 60_000 },
      { level: 'counter', by: () => '', algorithm: 'sliding-counter', limit: 20, windowMs: 60_000 },
      { level: 'bucket', by: () => '', algorithm: 'token-bucket', limit: 20, windowMs: 60_000 },
      { level: 'shadow', by: () => '', mode: 'shadow', limit: 8, windowMs: 60_000 },
    ];
    const policy = keeping({ levels });
    const first = await send(policy);
    clock.now += 1_000;
    const reservation = reservationOf(await send(policy));
    expect(await usedBy(policy)).toEqual([8, 16, 16, 16, 8]);
    await limiter.settle(reservation, keep(1));
    expect(await usedBy(policy)).toEqual([1, 9, 9, 9, 8]);
    await limiter.settle(reservationOf(first), keep(0));
    expect(await usedBy(policy)).toEqual([1, 1, 1, 1, 0]);
  });

  test('a level that excludes a call has nothing to return', async () => {
    const policy = keeping({ levels: [user, { level: 'ip', limit: 10, windowMs: 1_000 }] });
    const decision = await limiter.decide(policy, { subjects: { user: 'ada', ip: EXCLUDED } });
    await limiter.settle(reservationOf(decision), keep(1));
    expect(await usedBy(policy)).toEqual([1, 0]);
  });

  test('units return to a caller with numbers of her own', async () => {
    const limit = byPlan({ free: 10, vip: 100 }, () => 'vip' as const);
    const policy = keeping({ levels: [{ ...user, limit }] });
    const plans = [{ limit: 'vip', windowMs: undefined }];
    const calls = Array.from({ length: 12 }, () =>
      limiter.decide(policy, { subjects: { user: 'ada' }, plans }),
    );
    for (const decision of await Promise.all(calls)) await limiter.settle(reservationOf(decision), keep(2));
    expect(await usedBy(policy)).toEqual([24]);
  });

  test.each([
    ['throws', () => JSON.parse('{'), 'settle threw SyntaxError'],
    [
      'returns more than the cost',
      () => 9,
      'settle returned 9. Return a whole number from 0 to the cost, which is 8.',
    ],
    ['returns no number', () => Number.NaN, 'settle returned NaN'],
  ])('a function that %s is reported, and the call keeps its units', async (_name, settle, warning) => {
    const policy = keeping({ settle });
    await limiter.settle(reservationOf(await send(policy)), keep(1));
    expect(await usedBy(policy)).toEqual([8]);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  test('after a changed limit, a log returns units, and a counter keeps those of earlier calls', async () => {
    const log = keeping();
    const counter = keeping({ name: 'count', levels: [{ ...user, algorithm: 'sliding-counter' }] });
    const reservations = [reservationOf(await send(log)), reservationOf(await send(counter))];
    limiter.setOverrides([{ policy: 'count', level: 'user', windowMs: 2_000, version: 1 }]);
    const settled = reservations.map((reservation) => limiter.settle(reservation, keep(1)));
    expect(await Promise.all(settled)).toEqual([true, false]);
    expect([await usedBy(log), await usedBy(counter)]).toEqual([[1], [8]]);
  });

  test('a denial of a settling level is not cached, also for other policies of a shared level', async () => {
    const levels = [shared('settled', { level: 'global', limit: 10, windowMs: 1_000 })];
    const settling = keeping({ levels });
    const other = keeping({ name: 'other', levels, cost: 3, settle: undefined });
    const reservation = reservationOf(await send(settling));
    for (const policy of [settling, other]) {
      expect(await send(policy)).toMatchObject({ allowed: false });
      expect(limiter.cachedRefusal(policy, { subjects: {} })).toBeUndefined();
    }
    await limiter.settle(reservation, keep(1));
    expect(await send(other)).toMatchObject({ allowed: true, levels: [{ used: 4 }] });
  });

  test('a procedure is settled by its data, and by its error', async () => {
    await callAs('ada').answer({ tokens: 3 });
    await settledTo(answerPolicy, 3);
    clock.now += 1_000;
    await expect(callAs('ada').answer({ tokens: 'many' as never })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await settledTo(answerPolicy, 1);
  });

  test('with failures, only failed calls keep their unit', async () => {
    for (let call = 0; call < 12; call += 1) {
      await callAs('ada').attempt(true);
      await settledTo(failuresPolicy, 0);
    }
    for (let used = 1; used <= 10; used += 1) {
      await expect(callAs('ada').attempt(false)).rejects.toMatchObject({ message: 'wrong' });
    }
    await settledTo(failuresPolicy, 10);
    await expect(callAs('ada').attempt(true)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });
});

describe('on ioredis', () => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connectTestRedis(await redisUrl());
  });
  afterAll(() => redis.quit());
  beforeEach(() => startLimiter({ redis }));

  test('settlings and calls of one tick are one script call', async () => {
    const policy = keeping({ cost: 2 });
    const decisions = await Promise.all([send(policy), send(policy), send(policy)]);
    const calls = vi.spyOn(redis, 'sendCommand');
    await Promise.all([
      ...decisions.map((decision) => limiter.settle(reservationOf(decision), keep(1))),
      send(policy),
    ]);
    expect(calls).toHaveBeenCalledTimes(1);
    calls.mockRestore();
    expect(await usedBy(policy)).toEqual([5]);
  });

  test('a reservation expires by itself, and a settled one is gone', async () => {
    const policy = keeping();
    const reservation = reservationOf(await send(policy));
    const key = reservation.keys.at(-1) ?? '';
    expect(await redis.pttl(key)).toBeGreaterThan(60_000);
    await limiter.settle(reservation, keep(1));
    expect(await redis.exists(key)).toBe(0);
  });

  test('a policy that does not settle stores no reservation', async () => {
    const policy = keeping({ settle: undefined });
    expect(await send(policy)).not.toHaveProperty('reservation');
    expect(await redis.keys(`${prefix}*`)).toHaveLength(1);
  });

  test('a log whose last units return takes no memory', async () => {
    const policy = keeping();
    await limiter.settle(reservationOf(await send(policy)), keep(0));
    expect(await redis.keys(`${prefix}*`)).toEqual([]);
  });

  test('while the store is unavailable, settling throws and the units stay charged', async () => {
    const policy = keeping();
    const reservation = reservationOf(await send(policy));
    const failing = vi.spyOn(redis, 'sendCommand').mockRejectedValue(new Error('no'));
    await expect(limiter.settle(reservation, keep(1))).rejects.toThrow(StoreUnavailableError);
    failing.mockRestore();
    expect(await usedBy(policy)).toEqual([8]);
  });
});
