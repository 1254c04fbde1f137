import { isDeepStrictEqual } from 'node:util';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { startHttpServer } from '../../test/http-server';
import { startTestNode, type TestNode } from '../../test/node';
import { connectTestRedis } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import { limitOverrides } from '../db/limit-schema';
import { orders, payments } from '../db/schema';
import { listFailing } from '../finding';
import type { AppRouter } from '../router';
import type { User } from '../trpc/context';
import type { OpsState } from './ops-hub';

let database: TestDatabase;
let redis: TestService;
let here: TestNode;
let there: TestNode;
let settings: { REDIS_URL: string; DATABASE_URL: string };

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());
beforeEach(async () => {
  redis = await startEmptyRedis();
  settings = { REDIS_URL: redis.url, DATABASE_URL: database.url };
  here = await startTestNode(settings);
  there = await startTestNode(settings);
});
afterEach(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await redis.stop();
});

const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };
const shopper = (id: string): User => ({ id, name: id, role: 'shopper' });

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

async function answerOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (error instanceof TRPCClientError) return error.data;
    throw error;
  }
  return undefined;
}

/** The ops stream as an admin has it, until the test is over. */
async function opsStream(node = here) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${node.url}/api/ops/live`, {
    headers: { cookie: node.sessions.createCookieHeader(admin) },
    signal: leaving.signal,
  });
  const states: OpsState[] = [];
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      text += decoder.decode(read.value, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^event: ops\ndata: (.*)$/s.exec(event)?.[1];
        if (data) states.push(JSON.parse(data));
      }
    }
  })();
  // Other tests abort it.
  reading.catch(() => undefined);
  /** The newest state of which that is true. */
  const state = async (isSo: (state: OpsState) => boolean = () => true) =>
    waitUntil(() => states.findLast(isSo));
  return { response, states, state, ended: reading };
}

/** Lets one shopper claim several times. Returns the result of each call. */
async function claims(user: User, count: number, node = here): Promise<(string | undefined)[]> {
  const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
  await waitUntil(() => node.sale.ensureGate(couponId));
  const outcomes: (string | undefined)[] = [];
  for (let made = 0; made < count; made += 1) {
    const data = await answerOf(as(user, node).coupon.claim.mutate({ couponId }));
    outcomes.push(data?.rateLimit?.reason ?? data?.code ?? 'accepted');
  }
  return outcomes;
}

describe('a caller who is no admin', () => {
  test('is refused by every procedure before anything else', async () => {
    const level = { policy: 'x', level: 'y' };
    type Client = ReturnType<typeof as>;
    const calls: ((client: Client) => Promise<unknown>)[] = [
      (client) => client.ops.whatIf.mutate({ ...level, limit: 1 }),
      (client) => client.ops.subjects.query(),
      (client) => client.ops.explain.query(level),
      (client) => client.ops.audit.query({}),
      (client) => client.ops.coupons.query({}),
      (client) => client.ops.orders.query({}),
      (client) => client.ops.merchants.query(),
      (client) => client.ops.refunds.query(),
      (client) => client.ops.deadLetters.query(),
    ];
    for (const call of calls) {
      expect(await answerOf(call(as(undefined)))).toMatchObject({ httpStatus: 401 });
      expect(await answerOf(call(as(shopper('eve'))))).toMatchObject({ httpStatus: 403 });
    }
  });

  test('gets no stream', async () => {
    const stream = (headers: Record<string, string>) => fetch(`${here.url}/api/ops/live`, { headers });
    expect((await stream({})).status).toBe(401);
    expect((await stream({ cookie: here.sessions.createCookieHeader(shopper('eve')) })).status).toBe(403);
    const posted = await fetch(`${here.url}/api/ops/live`, {
      method: 'POST',
      headers: { cookie: here.sessions.createCookieHeader(admin) },
    });
    expect(posted.status).toBe(405);
  });
});

describe('the ops stream', () => {
  /** Returns how many calls the seconds of a state count. */
  const callsOf = ({ history }: OpsState) =>
    history
      .flatMap(({ levels }) => levels)
      .reduce((all, { admitted, refused }) => all + admitted + refused, 0);

  test('shows on each node the state of the other: rates, seconds, windows, latency, health', async () => {
    expect(await claims(shopper('ada-1234567'), 6, there)).toEqual([
      ...['accepted', 'accepted', 'accepted'],
      ...['limited', 'limited', 'limited'],
    ]);
    const claim = { policy: 'coupon.claim', level: 'user' };
    const isClaim = ({ policy }: { policy: string }) => policy === 'coupon.claim';
    // A node publishes its counts several times a second, so the six calls may come in two parts.
    const hasClaims = (state: OpsState) =>
      callsOf(state) === 6 && state.rates.some((row) => isClaim(row) && row.refused === 3);

    const { response, state } = await opsStream(here);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const latest = await state(hasClaims);
    expect(latest).toMatchObject({ stale: false, viewers: 0, alerts: { active: [], recent: [] } });
    expect(latest.rates).toContainEqual({ ...claim, admitted: 3, refused: 3, banned: 0, degraded: 0 });
    const seconds = latest.history.flatMap(({ levels }) => levels.filter(isClaim));
    expect(seconds.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(3);
    expect(seconds.reduce((sum, { refused }) => sum + refused, 0)).toBe(3);
    expect(latest.latency).toMatchObject({ p50Ms: expect.any(Number), p99Ms: expect.any(Number) });

    const { policies } = await as(admin).limit.list.query();
    const levels = policies.flatMap(({ policy, levels }) => levels.map(({ level }) => `${policy}:${level}`));
    expect(new Set(latest.windows.map(({ policy, level }) => `${policy}:${level}`))).toEqual(new Set(levels));
    const withSubject = await state(({ windows }) => windows.some((one) => isClaim(one) && one.subject));
    expect(withSubject.windows.find(isClaim)).toMatchObject({
      ...{
        ...claim,
        used: 3,
        limit: 3,
        remaining: 0,
        hits: [expect.any(Number), expect.any(Number), expect.any(Number)],
      },
      subject: { subject: 'ada…67', ref: expect.stringMatching(/^[\w-]{22}$/) },
    });

    const well = await state(({ nodes }) => nodes.length === 2);
    expect(well.nodes).toMatchObject([{ failing: [] }, { failing: [] }]);
    expect(well.health).toMatchObject({
      ...{ redis: { ok: true }, postgres: { ok: true }, ledger: { ok: true }, auditor: { ok: true } },
    });
    expect(JSON.stringify(well)).not.toContain('ada-1234567');
  });

  test('shows the same seconds on every node, also to later viewers and after a restart', async () => {
    await claims(shopper('ada'), 5, there);
    const one = await (await opsStream(here)).state((state) => callsOf(state) === 5);
    const other = await (await opsStream(there)).state((state) => callsOf(state) === 5);
    expect(other.history).toEqual(one.history);
    await there.stop();
    there = await startTestNode(settings);
    const later = await (await opsStream(there)).state((state) => callsOf(state) === 5);
    expect(later.history).toEqual(one.history);
  });

  test('counts the viewers of all nodes, and shows a changed limit within two seconds', async () => {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    await fetch(`${there.url}/api/live`, { signal: leaving.signal });
    const { state } = await opsStream(here);
    await state(({ viewers }) => viewers === 1);
    const global = { policy: 'coupon.seckill', level: 'global' };
    await as(admin, there).limit.update.mutate({ ...global, limit: 50, why: 'half of it' });
    await state(({ windows }) =>
      windows.some(
        ({ policy, level, limit }) => policy === global.policy && level === global.level && limit === 50,
      ),
    );
    const { entries } = await as(admin).ops.audit.query({});
    expect(entries[0]).toMatchObject({
      ...{ who: 'the-admin', what: 'limit.update', target: 'coupon.seckill:global', why: 'half of it' },
      after: { limit: 50 },
    });
    await as(admin).limit.reset.mutate(global);
  });

  test('while Redis is down, it is marked stale, keeps the last state, and raises an alert', async () => {
    const { states, state } = await opsStream(here);
    const before = await state(({ nodes }) => nodes.length === 2);
    const { port } = redis;
    await redis.kill();
    const down = await state(({ stale, health }) => stale && health.redis?.ok === false);
    expect(down.windows).toHaveLength(before.windows.length);
    expect(await answerOf(as(admin).ops.subjects.query())).toMatchObject({ httpStatus: 503 });
    const alarmed = await state(({ alerts }) => alerts.active.length > 0);
    expect(alarmed.alerts.active).toMatchObject([{ rule: 'store-down', target: 'redis', value: 2 }]);
    redis = await startRedis({ port });
    await state(
      ({ stale, alerts }) => !stale && alerts.active.length === 0 && alerts.recent[0]?.rule === 'store-down',
    );
    // The heartbeats of both nodes are older than the checks of this one.
    const contradictory = states.filter(
      ({ nodes, health }) =>
        nodes.length === 2 && !nodes.some(({ failing }) => isDeepStrictEqual(failing, listFailing(health))),
    );
    expect(contradictory).toEqual([]);
  });
});

test('a stopping node ends its streams', async () => {
  const { state, ended } = await opsStream(there);
  await state();
  // `ended` rejects if the connection is cut off.
  await Promise.all([there.stop(), ended]);
  there = await startTestNode(settings);
});

describe('what if', () => {
  test('replays on one node the arrivals of both, and counts none of its own decisions', async () => {
    const ada = shopper('ada');
    const bob = shopper('bob');
    expect([...(await claims(ada, 4, here)), ...(await claims(bob, 2, there))]).toEqual([
      ...['accepted', 'accepted', 'accepted', 'limited'],
      ...['accepted', 'accepted'],
    ]);
    const question = { policy: 'coupon.claim', level: 'user', limit: 1 };
    const answer = await waitUntil(
      async () => {
        const found = await as(admin, there).ops.whatIf.mutate(question);
        return found.arrivals === 6 && found;
      },
      { interval: 200 },
    );
    expect(answer).toMatchObject({
      ...{ recorded: { admitted: 5, refused: 1 } },
      ...{ before: { admitted: 5, refused: 1 }, after: { admitted: 2, refused: 4 } },
    });
    const mine = await as(bob).limit.mine.query();
    expect(mine.windows.find(({ policy }) => policy === 'coupon.claim')).toMatchObject({ used: 2 });
  });

  test('invalid values are refused with a message', async () => {
    const level = { policy: 'coupon.claim', level: 'user' };
    const whatIf = as(admin).ops.whatIf.mutate;
    expect(await answerOf(whatIf({ ...level, limit: 0 }))).toMatchObject({
      code: 'BAD_REQUEST',
      problems: [{ field: 'limit', code: 'out-of-range', least: 1, most: 1_000_000 }],
    });
    expect(await answerOf(whatIf(level))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await answerOf(whatIf({ ...level, policy: 'nothing', limit: 1 }))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await answerOf(whatIf({ ...level, level: 'ip', limit: 1 }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('the most refused subject is listed masked on every node; its ban is explained, lifted, and over', async () => {
  const ada = shopper('ada-1234567');
  await claims(ada, 8, here);
  await claims(shopper('bob-7654321'), 4, there);
  const claim = { policy: 'coupon.claim', level: 'user' };
  const subjects = await waitUntil(
    async () => {
      const { subjects: found } = await as(admin, there).ops.subjects.query();
      return found.length === 2 && found[0]?.atLeast === 5 && found;
    },
    { interval: 200 },
  );
  const ref = expect.stringMatching(/^[\w-]{22}$/);
  expect(subjects).toEqual([
    {
      ...{ ...claim, refusedBy: 'user', ref, subject: 'ada…67', atLeast: 5, atMost: 5 },
      punished: { violations: 5, banAt: 5, warning: true, bannedUntil: expect.any(Number) },
    },
    {
      ...{ ...claim, refusedBy: 'user', ref, subject: 'bob…21', atLeast: 1, atMost: 1 },
      punished: { violations: 1, banAt: 5, warning: false, bannedUntil: null },
    },
  ]);

  const [first, second] = subjects.map((one) => one.ref);
  const { bans } = await as(admin).ban.list.query();
  expect(bans).toMatchObject([{ ref: first, subject: 'ada…67' }]);
  const explain = async (who: string | undefined) => as(admin).ops.explain.query({ ...claim, ref: who });
  const banned = await waitUntil(async () => {
    const found = await explain(first);
    return found.recent.length === 8 && found;
  });
  expect(banned).toMatchObject({
    ...{ nextSlotAt: bans[0]?.bannedUntil, window: { ...claim, used: 3 } },
    punished: { violations: 5, warning: true, bannedUntil: bans[0]?.bannedUntil },
  });
  expect(banned.recent.map(({ outcome }) => outcome)).toEqual([
    ...['banned', 'refused', 'refused', 'refused', 'refused'],
    ...['admitted', 'admitted', 'admitted'],
  ]);
  const limited = await explain(second);
  expect(limited.window.hits).toHaveLength(3);
  expect(limited.nextSlotAt).toBe((limited.window.hits[0] ?? 0) + limited.window.windowMs);
  expect(limited.punished).toEqual({ violations: 1, warning: false, bannedUntil: null });
  expect(await explain(undefined)).toMatchObject({ nextSlotAt: null, recent: [] });

  const { state } = await opsStream(there);
  await state((latest) => latest.bans === 1);
  await as(admin).ban.lift.mutate({ banId: bans[0]?.banId ?? '' });
  await state((latest) => latest.bans === 0);
  const forgiven = { violations: 0, warning: false, bannedUntil: null };
  expect((await explain(first)).punished).toEqual(forgiven);
  const { subjects: after } = await as(admin, there).ops.subjects.query();
  expect(after[0]).toMatchObject({ ref: first, atLeast: 5, punished: { ...forgiven, banAt: 5 } });
});

test('one window key of a wrong type leaves the other subjects listed and explained', async () => {
  await claims(shopper('ada-1234567'), 5, here);
  await claims(shopper('bob-7654321'), 4, here);
  const claim = { policy: 'coupon.claim', level: 'user' };
  const read = () => as(admin).ops.subjects.query();
  const [ada, bob] = await waitUntil(
    async () => {
      const { subjects } = await read();
      return subjects.length === 2 && subjects[0]?.atLeast === 2 && subjects;
    },
    { interval: 200 },
  );
  const client = await connectTestRedis(redis.url);
  onTestFinished(() => client.disconnect());
  const explain = async (ref: string | undefined) => as(admin).ops.explain.query({ ...claim, ref });
  const [key = ''] = await client.keys(`limit:*${ada?.ref}*`);
  await client.del(key);
  await client.lpush(key, 'a list');
  const { subjects } = await read();
  expect(subjects).toMatchObject([
    { ref: ada?.ref, atLeast: 2 },
    { ref: bob?.ref, punished: { violations: 1 } },
  ]);
  expect(subjects[0]).not.toHaveProperty('punished');
  expect(await explain(ada?.ref)).toMatchObject({
    ...{ unreadable: ['user'], window: { ...claim, used: 0, limit: 3 }, nextSlotAt: null },
    serverNow: expect.any(Number),
  });
  expect(await explain(bob?.ref)).not.toHaveProperty('unreadable');
  expect(await explain(bob?.ref)).toMatchObject({ window: { used: 3 } });
});

test('a refused subject of a level without punishment has no violations', async () => {
  await Promise.all(
    Array.from({ length: 8 }, () => fetch(`${here.url}/api/trpc/merchant.list`).then((got) => got.text())),
  );
  const [refused] = await waitUntil(
    async () => {
      const { subjects } = await as(admin).ops.subjects.query();
      return subjects.some(({ atLeast }) => atLeast >= 3) && subjects;
    },
    { interval: 200 },
  );
  expect(refused).toMatchObject({ policy: 'merchant', level: 'ip', atLeast: 3 });
  expect(refused).not.toHaveProperty('punished');
});

test('a flood of refusals raises one alert for both nodes, and the webhook receives it', async () => {
  const bodies: { state: string; rule: string; target: string; id: string }[] = [];
  const { origin } = await startHttpServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    bodies.push(JSON.parse(body));
    res.end();
  });
  await Promise.all([here.stop(), there.stop()]);
  here = await startTestNode({ ...settings, ALERT_WEBHOOK_URL: origin });
  there = await startTestNode({ ...settings, ALERT_WEBHOOK_URL: origin });
  // A window that outlasts the flood: a slow machine needs more than the declared second for 120 calls.
  const longWindow = { policy: 'merchant', level: 'ip', windowMs: 600_000 };
  onTestFinished(async () => void (await database.db.delete(limitOverrides)));
  await Promise.all([here, there].map((node) => as(admin, node).limit.update.mutate(longWindow)));
  const { state } = await opsStream(there);
  await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      fetch(`${index % 2 ? here.url : there.url}/api/trpc/merchant.list`).then((answer) => answer.text()),
    ),
  );
  const isAboutRefusals = ({ rule }: { rule: string }) => rule === 'refused-share';
  const { alerts } = await state(({ alerts }) => alerts.active.some(isAboutRefusals));
  const active = alerts.active.filter(isAboutRefusals);
  expect(active).toMatchObject([{ target: 'merchant', threshold: 0.9 }]);
  await waitUntil(() => bodies.some(isAboutRefusals));
  const sent = bodies.filter(isAboutRefusals);
  expect(sent).toMatchObject([{ state: 'raised', target: 'merchant' }]);
  expect(sent[0]?.id).toBe(active[0]?.id);
});

test('a due refund is listed for operators only, and marked as sent with the name of the operator', async () => {
  const couponId = await insertCoupon(database.db);
  const [orderId, paymentId] = ['an-order-too-late', 'a-payment-too-late'];
  await database.db.insert(orders).values({
    ...{ id: orderId, couponId, userId: 'ada', status: 'expired', onePerShopper: true },
    ...{ code: 'CODE', createdAt: new Date() },
  });
  await database.db.insert(payments).values({
    ...{ id: paymentId, orderId, amountCents: 990, method: 'card', status: 'refund-due' },
    ...{ nextQueryAt: new Date(), settledAt: new Date() },
  });
  expect(await answerOf(as(shopper('ada')).ops.markRefundSent.mutate({ paymentId }))).toMatchObject({
    code: 'FORBIDDEN',
  });
  const { refunds } = await as(admin).ops.refunds.query();
  expect(refunds).toMatchObject([{ paymentId, orderId, couponId, userId: 'ada', amountCents: 990 }]);

  const sent = { paymentId, why: 'number 7 of the provider' };
  expect(await as(admin).ops.markRefundSent.mutate(sent)).toEqual({});
  expect(await as(admin, there).ops.markRefundSent.mutate(sent), 'again').toEqual({});
  expect(await as(admin, there).ops.refunds.query()).toEqual({ refunds: [] });
  const { entries } = await as(admin, there).ops.audit.query({});
  expect(entries.filter(({ what }) => what === 'refund.markSent')).toMatchObject([
    { who: admin.id, target: paymentId, why: sent.why, after: { status: 'refunded' } },
  ]);
  expect(await answerOf(as(admin).ops.markRefundSent.mutate({ paymentId: 'none' }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});
