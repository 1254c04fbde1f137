import { initTRPC } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { sameSubject } from '../../../test/call-subjects';
import { describeStores } from '../../../test/limiter-stores';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import { type RateLimitContext, rateLimit } from '../adapters/trpc';
import { createLimiter, type Limiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import { byPlan } from '../policy/by-plan';
import type { Level, Policy, ProcedureResult, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { shared } from '../policy/shared-levels';
import { EXCLUDED } from '../policy/subject';
import { ioredisStore } from '../stores/ioredis-store';
import { StoreUnavailableError } from '../stores/store-error';
import type { Decision } from './decision';
import type { Reservation } from './settle';

let limiter: Limiter;
let warnings: string[];
let prefix: string;
const clock = { now: 1_795_226_300_000 };

function startLimiter(store: Pick<LimiterOptions, 'store'>): void {
  warnings = [];
  prefix = freshPrefix();
  limiter = startNode(store);
}

/** Starts a node with the windows of the limiter. */
function startNode(store: Pick<LimiterOptions, 'store'>): Limiter {
  return createLimiter({
    ...{
      ...store,
      secret: 'a secret of at least 32 characters',
      prefix,
      timeoutMs: 5_000,
      clock: () => clock.now,
    },
    onWarning: (warning) => warnings.push(warning),
  });
}

const message = { en: 'Too many tokens.' };
const user: Level<unknown> = { level: 'user', limit: 10, windowMs: 1_000 };
/** The name of a second level. The tests give its subject. */
const tenant: Pick<Level<unknown>, 'level' | 'by'> = { level: 'tenant', by: () => undefined };
/** The algorithms whose calls may settle. */
const counted = ['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket'] as const;

/** A policy whose calls keep the units in their data. */
function keeping(fields: Partial<Policy<unknown>> = {}): ResolvedPolicy<unknown> {
  const settle: Policy<unknown>['settle'] = (outcome) => (outcome.ok ? Number(outcome.data) : outcome.cost);
  return resolvePolicy({ name: 'answer', levels: [user], cost: 8, settle, message, ...fields }, 'answer');
}

const send = (policy: ResolvedPolicy<unknown>, subject = 'ada') =>
  limiter.decide(policy, { subjects: sameSubject(policy, subject) });
const usedBy = async (policy: ResolvedPolicy<unknown>, subject = 'ada') =>
  (await limiter.peek(policy, sameSubject(policy, subject))).windows.map(({ used }) => used);

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
      const { windows } = await limiter.peek(resolvePolicy(policy, ''), { user: 'ada' });
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
    const policy = keeping({ levels: [user, { ...user, ...tenant }] });
    const decision = await limiter.decide(policy, { subjects: { user: 'ada', tenant: EXCLUDED } });
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
    ['returns no number', () => Number.NaN, 'settle returned NaN. Return a whole number from 0.'],
    ['returns less than 0', () => -1, 'settle returned -1'],
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

  test.each(counted)(
    '%s: a denial of a shared level is cached only while no call of another policy has a reservation',
    async (algorithm) => {
      const windowMs = 600_000;
      const level = shared('settled', { level: 'global', algorithm, limit: 10, windowMs });
      // A fixed window lasts until the end of the test.
      clock.now = Math.ceil(clock.now / windowMs) * windowMs;
      const settling = keeping({ levels: [level] });
      const other = keeping({ name: 'other', levels: [level], cost: 3, settle: undefined });
      // The node of the other policy has never had the settling policy.
      const node = startNode({ store: current.store });
      const isCached = () => node.cachedRefusal(other, { subjects: {} }) !== undefined;
      const sendOther = () => node.decide(other, { subjects: {} });
      const reservation = reservationOf(await send(settling));
      expect(await sendOther()).toMatchObject({ allowed: false, refusedBy: { settles: true } });
      expect([isCached(), limiter.cachedRefusal(settling, { subjects: {} })]).toEqual([false, undefined]);
      await limiter.settle(reservation, keep(1));
      for (const used of [4, 7, 10]) {
        expect(await sendOther()).toMatchObject({ allowed: true, levels: [{ used }] });
      }
      // Long after the end of every reservation.
      clock.now += 300_000;
      expect(await sendOther()).not.toMatchObject({ refusedBy: { settles: true } });
      expect(isCached()).toBe(algorithm !== 'token-bucket');
    },
  );

  describe('units above the reservation', () => {
    test.each(counted)('%s: are charged at the settling, and later calls wait', async (algorithm) => {
      const policy = keeping({ levels: [{ ...user, algorithm, windowMs: 10_000 }], cost: 2 });
      clock.now += 10_000 - (clock.now % 10_000);
      const reservation = reservationOf(await send(policy));
      clock.now += 500;
      expect(await limiter.settle(reservation, keep(12))).toBe(true);
      const { windows } = await limiter.peek(policy, { user: 'ada' });
      // Half a unit of a bucket has returned: 12 - 0.5.
      expect(windows).toMatchObject([{ used: 12, remaining: 0 }]);
      const refused = await send(policy);
      expect(refused).toMatchObject({ allowed: false, reason: 'limited', refusedBy: { remaining: 0 } });
      const retryAfterMs = refused.allowed ? 0 : (refused.refusedBy.retryAfterMs ?? 0);
      clock.now += retryAfterMs - 1;
      expect(await send(policy)).toMatchObject({ allowed: false });
      clock.now += 1;
      expect(await send(policy)).toMatchObject({ allowed: true });
    });

    test.each(counted)('%s: are at most the limit in one settling', async (algorithm) => {
      const policy = keeping({ levels: [{ ...user, algorithm }] });
      const reservation = reservationOf(await send(policy));
      await limiter.settle(reservation, Number.MAX_SAFE_INTEGER);
      expect(await usedBy(policy)).toEqual([18]);
    });

    test('are charged on every level that the call charged', async () => {
      const levels: Level<unknown>[] = [
        user,
        { level: 'wide', by: () => '', limit: 1_000, windowMs: 1_000 },
        { level: 'full', by: () => '', mode: 'shadow', limit: 4, windowMs: 1_000 },
      ];
      const policy = keeping({ levels, cost: 4 });
      await send(policy);
      const reservation = reservationOf(await send(policy));
      await limiter.settle(reservation, keep(104));
      expect(await usedBy(policy)).toEqual([18, 108, 4]);
    });

    test('a log holds more hits than its limit, and gives each back after its window', async () => {
      const policy = keeping({ levels: [{ ...user, limit: 200, windowMs: 1_000 }], cost: 100 });
      const held = [reservationOf(await send(policy)), reservationOf(await send(policy))];
      for (const [index, reservation] of held.entries()) {
        clock.now += 100;
        await limiter.settle(reservation, keep(300));
        expect(await usedBy(policy)).toEqual([400 + 200 * index]);
      }
      clock.now += 799;
      expect(await usedBy(policy)).toEqual([600]);
      clock.now += 1;
      expect(await usedBy(policy)).toEqual([400]);
      expect(await send(policy)).toMatchObject({ allowed: false, refusedBy: { retryAfterMs: 200 } });
      clock.now += 200;
      expect(await send(policy)).toMatchObject({ allowed: true, levels: [{ used: 100 }] });
    });

    test('a bucket counts them exactly up to the largest number that it holds', async () => {
      const yearMs = 366 * 86_400_000;
      const limit = Math.floor(Number.MAX_SAFE_INTEGER / yearMs);
      const policy = keeping({ levels: [{ ...user, algorithm: 'token-bucket', limit, windowMs: yearMs }] });
      const held = [reservationOf(await send(policy)), reservationOf(await send(policy))];
      for (const reservation of held) await limiter.settle(reservation, limit);
      expect(await usedBy(policy)).toEqual([limit]);
    });

    test('the units may be given instead of the outcome, as a whole number', async () => {
      const policy = keeping({ cost: 2 });
      const reservation = reservationOf(await send(policy));
      await expect(limiter.settle(reservation, 1.5)).rejects.toThrow(
        'Policy "answer": units of settle is 1.5. Give the whole number of units that the call keeps, from 0.',
      );
      expect(await limiter.settle(reservation, 5)).toBe(true);
      expect(await usedBy(policy)).toEqual([5]);
    });
  });

  describe('after a clear', () => {
    test.each(counted)(
      '%s: by another node, a settling changes no unit of later calls',
      async (algorithm) => {
        const policy = keeping({ levels: [{ ...user, algorithm, windowMs: 60_000 }] });
        const other = startNode({ store: current.store });
        for (const kept of [0, 20]) {
          const reservation = reservationOf(await send(policy));
          await other.clear(policy, { level: 'user', subject: 'ada' });
          // At the instant of the first charge.
          const later = reservationOf(await other.decide(policy, { subjects: { user: 'ada' } }));
          expect(await limiter.settle(reservation, keep(kept))).toBe(false);
          expect(await usedBy(policy)).toEqual([8]);
          expect(await limiter.settle(later, keep(1))).toBe(true);
          expect(await usedBy(policy)).toEqual([1]);
          await other.clear(policy, { level: 'user', subject: 'ada' });
        }
      },
    );

    test('of another level, subject or policy, units return', async () => {
      const counter: Level<unknown> = { ...user, algorithm: 'sliding-counter', windowMs: 60_000 };
      const policy = keeping({ levels: [counter, { ...counter, ...tenant }] });
      const reservation = reservationOf(await send(policy));
      await limiter.clear(policy, { level: 'user', subject: 'bob' });
      await limiter.clear(policy, { level: 'tenant', subject: 'ada' });
      await limiter.clear(keeping({ name: 'other' }), { level: 'user', subject: 'ada' });
      expect(await limiter.settle(reservation, keep(1))).toBe(true);
      expect(await usedBy(policy)).toEqual([1, 0]);
    });
  });

  describe('after a changed limit', () => {
    const notLogs = counted.filter((algorithm) => algorithm !== 'sliding-log');
    const override = { policy: 'answer', level: 'user', version: 1 };

    test.each(notLogs)('%s: of this node, a settling changes nothing', async (algorithm) => {
      const policy = keeping({ levels: [{ ...user, algorithm, windowMs: 60_000 }] });
      for (const changed of [{ limit: 20 }, { windowMs: 30_000 }]) {
        const reservation = reservationOf(await send(policy, JSON.stringify(changed)));
        limiter.setOverrides([{ ...override, ...changed }]);
        expect(await limiter.settle(reservation, keep(1))).toBe(false);
        limiter.setOverrides([]);
        expect(await usedBy(policy, JSON.stringify(changed))).toEqual([8]);
      }
    });

    test.each(notLogs)('%s: that only another node has applied, it changes nothing', async (algorithm) => {
      const policy = keeping({ levels: [{ ...user, algorithm, windowMs: 60_000 }], cost: 4 });
      const other = startNode({ store: current.store });
      const reservation = reservationOf(await send(policy));
      other.setOverrides([{ ...override, windowMs: 120_000 }]);
      expect(await other.decide(policy, { subjects: { user: 'ada' } })).toMatchObject({ allowed: true });
      other.setOverrides([]);
      expect(await limiter.settle(reservation, keep(0))).toBe(false);
      expect(await usedBy(policy)).toEqual([8]);
    });

    test('of another level or policy, units return', async () => {
      const counter: Level<unknown> = { ...user, algorithm: 'fixed-window', windowMs: 60_000 };
      const policy = keeping({ levels: [counter, { ...counter, ...tenant }] });
      const reservation = reservationOf(await send(policy));
      limiter.setOverrides([
        { ...override, policy: 'other', limit: 20 },
        { ...override, level: 'tenant', limit: 20 },
      ]);
      expect(await limiter.settle(reservation, keep(1))).toBe(true);
      expect(await usedBy(policy)).toEqual([1, 8]);
    });

    test('a log returns units and charges an overrun by the present window', async () => {
      const policy = keeping();
      const reservations = [reservationOf(await send(policy)), reservationOf(await send(policy, 'bob'))];
      limiter.setOverrides([{ ...override, windowMs: 5_000 }]);
      clock.now += 2_000;
      for (const [index, reservation] of reservations.entries())
        expect(await limiter.settle(reservation, keep([1, 9][index] ?? 0))).toBe(true);
      expect([await usedBy(policy), await usedBy(policy, 'bob')]).toEqual([[1], [9]]);
    });
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
  beforeEach(() => startLimiter({ store: ioredisStore(redis) }));

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
    const { key } = reservation;
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
