import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { startTestNode, type TestNode } from '../../test/node';
import { startEmptyRedis } from '../../test/services/empty-redis';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { AppRouter } from '../router';
import type { User } from '../trpc/context';

const MINUTE = 60_000;

let database: TestDatabase;
let redis: TestService;
let here: TestNode;
let there: TestNode;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());
beforeEach(async () => {
  redis = await startEmptyRedis();
  const settings = { REDIS_URL: redis.url, DATABASE_URL: database.url };
  here = await startTestNode({ ...settings, FLOODGATE_DEMO: '1' });
  there = await startTestNode(settings);
});
afterEach(async () => {
  await as(admin).limit.reset.mutate(claim);
  await as(admin).limit.reset.mutate(merchant);
  await Promise.all([here.stop(), there.stop()]);
  await redis.stop();
});

const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };
const shopper = (id: string): User => ({ id, name: id, role: 'shopper' });
const claim = { policy: 'coupon.claim', level: 'user' };
const merchant = { policy: 'merchant', level: 'ip' };

function as(user: User | undefined, node = here) {
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${node.url}/api/trpc`,
        headers: user ? { cookie: node.sessions.createCookieHeader(user) } : {},
      }),
    ],
  });
}

/** Returns the error of a call. Fails if the call succeeds. */
async function errorOf(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  try {
    await call;
  } catch (error) {
    if (error instanceof TRPCClientError) return error;
    throw error;
  }
  throw new Error('the call was answered');
}
const errorDataOf = async (call: Promise<unknown>) => (await errorOf(call)).data;

async function levelOf({ policy, level }: typeof claim, node = here) {
  const { policies } = await as(admin, node).limit.list.query();
  return policies.find((one) => one.policy === policy)?.levels.find((one) => one.level === level);
}

async function claimCoupon(): Promise<string> {
  const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
  await waitUntil(() => here.sale.ensureGate(couponId));
  return couponId;
}

async function metricsOf(node: TestNode): Promise<string> {
  return (await fetch(`${node.url}/metrics`)).text();
}

describe('a caller who is no admin', () => {
  const calls = {
    'limit.list': (client: ReturnType<typeof as>) => client.limit.list.query(),
    'limit.update': (client: ReturnType<typeof as>) => client.limit.update.mutate({ policy: '', level: '' }),
    'limit.reset': (client: ReturnType<typeof as>) => client.limit.reset.mutate({ policy: 'x', level: 'x' }),
    'ban.list': (client: ReturnType<typeof as>) => client.ban.list.query(),
    'ban.lift': (client: ReturnType<typeof as>) => client.ban.lift.mutate({ banId: '' }),
  };
  test.each(Object.entries(calls))('is refused by %s before anything else', async (_path, call) => {
    expect(await errorDataOf(call(as(undefined)))).toMatchObject({ code: 'UNAUTHORIZED', httpStatus: 401 });
    expect(await errorDataOf(call(as(shopper('eve'))))).toMatchObject({ code: 'FORBIDDEN', httpStatus: 403 });
  });
});

describe('limit.list', () => {
  test('lists each level of each policy with declared and effective values', async () => {
    const { policies } = await as(admin).limit.list.query();
    expect(policies.find(({ policy }) => policy === 'coupon.seckill')).toEqual({
      policy: 'coupon.seckill',
      levels: [
        {
          level: 'user',
          algorithm: 'sliding-log',
          mode: 'enforce',
          declared: { limit: 5, windowMs: 10_000 },
          effective: { limit: 5, windowMs: 10_000 },
          onStoreError: 'closed',
          countsAll: false,
          version: 0,
        },
        {
          level: 'global',
          algorithm: 'sliding-log',
          mode: 'enforce',
          declared: { limit: 100, windowMs: 10_000 },
          effective: { limit: 100, windowMs: 10_000 },
          onStoreError: 'closed',
          countsAll: true,
          version: 0,
        },
      ],
    });
  });

  test('lists no policy of a procedure that this node does not have, nor do windows and rates', async () => {
    const names = async (node: TestNode) => {
      const { policies } = await as(admin, node).limit.list.query();
      const { windows } = await as(shopper('ada'), node).limit.mine.query();
      const { rates } = await node.readLive();
      return [policies, windows, rates].map((list) => new Set(list.map(({ policy }) => policy)));
    };
    for (const found of await names(here)) expect(found).toContain('demo.crowd');
    for (const found of await names(there)) {
      expect(found).toContain('coupon.claim');
      for (const absent of ['demo.crowd', 'auth.signInDemo']) expect(found).not.toContain(absent);
    }
  });
});

describe('limit.update and limit.reset', () => {
  test('apply on every node within a second, in refusals and in windows', async () => {
    const { level } = await as(admin).limit.update.mutate({
      ...merchant,
      limit: 2,
      windowMs: MINUTE,
      why: 'a test',
    });
    expect(level).toEqual({
      level: 'ip',
      algorithm: 'sliding-log',
      mode: 'enforce',
      declared: { limit: 5, windowMs: 1_000 },
      effective: { limit: 2, windowMs: MINUTE },
      onStoreError: 'local',
      countsAll: false,
      version: expect.any(Number),
    });
    await waitUntil(async () => (await levelOf(merchant, there))?.effective.limit === 2);
    expect(await levelOf(merchant)).toEqual(level);
    expect(await levelOf(merchant, there)).toEqual(level);

    const { list } = as(undefined, there).merchant;
    await list.query({});
    await list.query({});
    expect(await errorDataOf(list.query({}))).toMatchObject({ rateLimit: { limit: 2, windowMs: MINUTE } });
    const { windows } = await as(undefined).limit.mine.query();
    expect(windows.find(({ policy }) => policy === 'merchant')).toMatchObject({
      limit: 2,
      used: 2,
      mode: 'enforce',
    });

    const why = 'The crawl is over';
    const reset = await as(admin, there).limit.reset.mutate({ ...merchant, why });
    expect((await as(admin).ops.audit.query({})).entries[0]).toMatchObject({ what: 'limit.reset', why });
    expect(reset.level).toMatchObject({
      effective: { limit: 5, windowMs: 1_000 },
      version: level.version + 1,
    });
    await waitUntil(async () => (await levelOf(merchant))?.effective.limit === 5);
    await list.query({});
  });

  test('the public page shows the effective limits', async () => {
    const global = { policy: 'coupon.seckill', level: 'global' };
    await as(admin).limit.update.mutate({ ...global, limit: 50, mode: 'shadow' });
    const shown = async () => (await there.readLive()).windows[0];
    await waitUntil(async () => (await shown())?.limit === 50);
    expect(await shown()).toMatchObject({ ...global, mode: 'shadow' });
    await as(admin).limit.reset.mutate(global);
  });

  test('a shadow level refuses no call, is in no header, and counts its refusals in a metric', async () => {
    await as(admin).limit.update.mutate({ ...merchant, limit: 1, windowMs: MINUTE, mode: 'shadow' });
    for (let made = 0; made < 3; made += 1) {
      const answer = await fetch(`${here.url}/api/trpc/merchant.list`);
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null]);
    }
    expect(await metricsOf(here)).toContain(
      'decisions_total{policy="merchant",level="ip",outcome="shadow-refused"} 2',
    );
  });

  const mistakes = [
    ['an unknown policy', { policy: 'nothing', level: 'user', limit: 3 }, 'NOT_FOUND', /no policy "nothing"/],
    ['an unknown level', { ...claim, level: 'global', limit: 3 }, 'NOT_FOUND', /no level "global"/],
    [
      'a limit of nothing',
      { ...claim, limit: 0 },
      'BAD_REQUEST',
      /^Policy "coupon.claim": user.limit is 0\. Use/,
    ],
    [
      'a window of half a millisecond',
      { ...claim, windowMs: 0.5 },
      'BAD_REQUEST',
      /user.windowMs is 0\.5\. Use/,
    ],
    ['nothing to change', { ...claim, why: 'none' }, 'BAD_REQUEST', /give a limit, a windowMs or a mode/],
  ] as const;
  test.each(mistakes)('%s is refused with a message', async (_name, input, code, sentence) => {
    const error = await errorOf(as(admin).limit.update.mutate(input));
    expect(error.data).toMatchObject({ code });
    expect(error.message).toMatch(sentence);
  });

  test('a reset of an unknown level is not found', async () => {
    expect(await errorDataOf(as(admin).limit.reset.mutate({ ...claim, level: 'ip' }))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the ban of coupon.claim', () => {
  test('starts with the 5th violation, is listed masked, and ends on both nodes within a second after the lift', async () => {
    const couponId = await claimCoupon();
    const ada = shopper('ada-1234567');
    for (let made = 0; made < 3; made += 1) await as(ada).coupon.claim.mutate({ couponId });
    const refused = async (node = here) => errorOf(as(ada, node).coupon.claim.mutate({ couponId }));
    const errors = [
      await refused(),
      await refused(there),
      await refused(),
      await refused(there),
      await refused(),
    ].map(({ data }) => data?.rateLimit);
    expect(errors).toMatchObject([
      { reason: 'limited', violations: 1, warning: false, bannedUntil: null },
      { reason: 'limited', violations: 2, warning: false, bannedUntil: null },
      { reason: 'limited', violations: 3, warning: true, bannedUntil: null },
      { reason: 'limited', violations: 4, warning: true, bannedUntil: null },
      { reason: 'banned', violations: 5, warning: true, bannedUntil: expect.any(Number), ...claim },
    ]);
    const bannedUntil = errors.at(-1)?.bannedUntil ?? 0;
    expect(errors.at(-1)?.retryAfterMs).toBe(30 * MINUTE);

    const more = await refused(there);
    expect(more.message).toBe('You’re claiming coupons too fast. Try again when the countdown ends.');
    expect(more.data?.rateLimit).toMatchObject({ reason: 'banned', violations: 5, bannedUntil });
    const mine = await as(ada).limit.mine.query();
    expect(mine.windows.find(({ policy }) => policy === 'coupon.claim')).toMatchObject({ bannedUntil });
    await waitUntil(async () =>
      (await there.readLive()).rates.some(({ policy, banned }) => policy === 'coupon.claim' && banned === 2),
    );

    const { bans } = await as(admin, there).ban.list.query();
    expect(bans).toEqual([
      {
        ...{ ...claim, subject: 'ada…67', bannedUntil, violations: 5 },
        ...{ banId: expect.any(String), ref: expect.stringMatching(/^[\w-]{22}$/) },
      },
    ]);
    const banId = bans[0]?.banId ?? '';
    expect(await as(admin).ban.lift.mutate({ banId, why: 'a shared address' })).toEqual({});
    expect((await as(admin).ops.audit.query({})).entries[0]).toMatchObject({
      ...{ who: admin.id, what: 'ban.lift', target: 'coupon.claim:user', after: {} },
      why: 'a shared address',
      before: { subject: 'ada…67', bannedUntil, violations: 5 },
    });
    expect(await as(admin).ban.list.query()).toEqual({ bans: [] });
    for (const node of [here, there]) {
      await waitUntil(async () => (await refused(node)).data?.rateLimit?.reason === 'limited');
    }
    expect(await errorDataOf(as(admin).ban.lift.mutate({ banId }))).toMatchObject({ code: 'NOT_FOUND' });
    const lifts = (await as(admin, there).ops.audit.query({})).entries.filter(
      ({ what }) => what === 'ban.lift',
    );
    expect(lifts, 'who lifts what is no more is not written down').toHaveLength(1);
  });

  test.each(['nothing', '?', 'WyJjb3Vwb24uY2xhaW0iLDAsIngiXQ'])('%j names no ban', async (banId) => {
    expect(await errorDataOf(as(admin).ban.lift.mutate({ banId }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('while Redis is down, limits can be changed, bans cannot be listed, and the breaker is reported', async () => {
  const { port } = redis;
  await redis.kill();
  const { level } = await as(admin).limit.update.mutate({ ...merchant, limit: 2 });
  expect(level.effective.limit).toBe(2);
  await waitUntil(async () => (await levelOf(merchant, there))?.effective.limit === 2);
  expect(await errorDataOf(as(admin).ban.list.query())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });

  for (let made = 0; made < 5; made += 1) {
    await as(undefined)
      .merchant.list.query({})
      .catch(() => undefined);
  }
  await waitUntil(async () => {
    const { dependencies } = await (await fetch(`${here.url}/readyz`)).json();
    return /^does not answer; the breaker is /.test(dependencies.redis.detail);
  });
  const metrics = await metricsOf(here);
  expect(metrics).toContain('floodgate_rate_limit_breaker_open 1');
  expect(metrics).toContain('floodgate_rate_limit_store_up 0');

  redis = await startRedis({ port });
  await waitUntil(async () => {
    await as(undefined)
      .merchant.list.query({})
      .catch(() => undefined);
    const text = await metricsOf(here);
    return text.includes('limit_breaker_open 0') && text.includes('limit_store_up 1');
  });
});
