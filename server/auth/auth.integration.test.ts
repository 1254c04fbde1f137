import { randomUUID } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { TRPCError } from '@trpc/server';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestContext } from '../../test/context';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { startTestNode, type TestNode } from '../../test/node';
import { openBrowser } from '../../test/open-browser';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { redisUrl } from '../../test/services/worker-services';
import { users } from '../db/schema';
import { createSessions } from '../http/session';
import { rateLimit, rateLimitErrorData } from '../limiter/adapters/trpc';
import { createLimiter, type Limiter } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import { policies } from '../policies';
import type { RedisClient } from '../redis/client';
import { createCallerFactory, publicProcedure, router } from '../trpc/procedures';
import { createAuthRouter } from './router';
import { createSignInDemo } from './sign-in-demo';
import { createSessionVersions } from './user-sessions';

/** Codes by e-mail have a test file of their own. */
const notAsked = () => Promise.reject(new Error('there is no sign-in by e-mail here'));

describe.each(queryDatabases)('sign-in on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  function visit({
    demo = true,
    ...overrides
  }: { demo?: boolean } & Parameters<typeof createTestContext>[0] = {}) {
    const context = createTestContext(overrides);
    const router = createAuthRouter({
      demo,
      signInDemo: createSignInDemo({ db: database.db }),
      sendCode: notAsked,
      verifyCode: notAsked,
      revokeSession: createSessionVersions({ db: database.db }).revoke,
    });
    return { context, call: createCallerFactory(router)(context) };
  }

  test('a demo sign-in returns the user and sets their session', async () => {
    const { context, call } = visit();
    const { user } = await call.signInDemo({ name: ' Ann ' });
    expect(user).toEqual({ id: expect.any(String), name: 'Ann', role: 'shopper' });
    expect(context.sessions).toEqual([user]);
  });

  test('the same name is the same shopper, also when two browsers sign in at once', async () => {
    const visits = await Promise.all(
      Array.from({ length: 8 }, () => visit().call.signInDemo({ name: '李雷' })),
    );
    expect(new Set(visits.map(({ user }) => user.id)).size).toBe(1);
    expect((await visit().call.signInDemo({ name: 'Li Lei' })).user.id).not.toBe(visits[0]?.user.id);
  });

  test('a given role is set, and without one the role stays', async () => {
    const roles: string[] = [];
    for (const role of [undefined, 'admin', undefined, 'shopper'] as const) {
      roles.push((await visit().call.signInDemo({ name: 'Grace', role })).user.role);
    }
    expect(roles).toEqual(['shopper', 'admin', 'admin', 'shopper']);
  });

  test('without a name, every sign-in is a new shopper with a random name in the language of the caller', async () => {
    const { user: english } = await visit({ language: 'en' }).call.signInDemo();
    const { user: chinese } = await visit({ language: 'zh' }).call.signInDemo({});
    expect(english.name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+ \d+$/);
    expect(chinese.name).toMatch(/^\p{Script=Han}+ \d+$/u);
    expect(english.id).not.toBe(chinese.id);
  });

  test.each([[''], ['   '], ['x'.repeat(41)], ['A\0B'], ['A\nB']])(
    'the name %j is a bad request',
    async (name) => {
      await expect(visit().call.signInDemo({ name })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );

  test('a demo shopper is never the owner of an e-mail with the same name', async () => {
    await database.db
      .insert(users)
      .values({ id: 'real', name: 'Ada', email: 'ada@example.com', role: 'admin' });
    const { user } = await visit().call.signInDemo({ name: 'Ada' });
    expect(user).toMatchObject({ name: 'Ada', role: 'shopper' });
    expect(user.id).not.toBe('real');
  });

  test('outside demo mode the procedure does not exist', async () => {
    const { context, call } = visit({ demo: false });
    await expect(call.signInDemo({ name: 'Ann' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(context.sessions).toEqual([]);
  });

  test('me returns the signed-in user or null; signing out clears the session', async () => {
    const user = { id: 'u', name: 'Ann', role: 'shopper' as const };
    const { context, call } = visit({ user });
    expect(await call.me()).toEqual({ user });
    expect(await visit().call.me()).toEqual({ user: null });
    expect(await call.signOut()).toEqual({});
    expect(context.sessions).toEqual([null]);
  });
});

describe('limits of codes', () => {
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
    limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
      clock: () => now,
    });
  });

  /** Calls from an address of its own, and answers the level that refused; undefined where none did. */
  async function levelThatRefuses(
    procedure: keyof typeof procedures._def.record,
    { email, caller, cookies }: { email: string; caller: number; cookies?: Map<string, string> },
  ): Promise<string | undefined> {
    const ip = `10.0.${Math.floor(caller / 200)}.${caller % 200}`;
    const context = createTestContext({ ip, ...(cookies && { cookies }) });
    context.browser.recordCodeRequest(email);
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

  test('a browser that has signed in counts its tries by itself, from any number of addresses', async () => {
    const email = 'ada@example.com';
    for (let caller = 0; caller < 100; caller += 1) {
      await levelThatRefuses('verifyCode', { email, caller });
      now += 31_000;
    }
    expect(await levelThatRefuses('verifyCode', { email, caller: 100 })).toBe('email-daily');
    const known = [new Map<string, string>(), new Map<string, string>()] as const;
    for (const cookies of known) createTestContext({ cookies }).browser.recordSignIn(email);
    for (let caller = 0; caller < 100; caller += 1) {
      expect(await levelThatRefuses('verifyCode', { email, caller, cookies: known[0] })).toBeUndefined();
      now += 31_000;
    }
    expect(await levelThatRefuses('verifyCode', { email, caller: 100, cookies: known[0] })).toBe(
      'email-daily',
    );
    expect(await levelThatRefuses('verifyCode', { email, caller: 100, cookies: known[1] })).toBeUndefined();
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
});

const SECRET = 'a secret that the nodes of this test share';

/** A browser at a node; `copyAt` is another one with the same cookies. */
function browserAt(node: TestNode, copied?: Map<string, string>) {
  const { client, cookies } = openBrowser(node, { cookies: new Map(copied) });
  const { auth, limit, ops } = client;
  return { ...{ auth, limit, ops }, cookies, copyAt: (other: TestNode) => browserAt(other, cookies) };
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof TRPCClientError ? error.data?.code : error;
}

const kept = { policy: 'coupon.claim', level: 'user', limit: 3 };

describe.each(queryDatabases)('sessions on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let nodes: [TestNode, TestNode];

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
    redis = await startEmptyRedis();
    const settings = {
      ...{ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' },
      ...{ FLOODGATE_PGLITE: pglite ? '1' : '0', SESSION_SECRETS: SECRET },
    };
    nodes = [await startTestNode(settings), await startTestNode(settings)];
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await database.drop();
    await redis.stop();
  });

  async function signedIn({ role, name }: { role: 'admin' | 'shopper'; name?: string }) {
    const browser = browserAt(nodes[0]);
    const { user } = await browser.auth.signInDemo.mutate({ role, name });
    return { browser, user };
  }

  test('signing out revokes every copy of an admin’s cookie, on every node', async () => {
    const { browser } = await signedIn({ role: 'admin' });
    const copy = browser.copyAt(nodes[1]);
    expect((await copy.limit.list.query()).policies).not.toEqual([]);
    await browser.auth.signOut.mutate();
    expect(browser.cookies.size).toBe(0);
    expect(await codeOf(copy.limit.list.query())).toBe('UNAUTHORIZED');
    expect(await codeOf(copy.limit.update.mutate(kept))).toBe('UNAUTHORIZED');
    expect(await copy.auth.me.query()).toEqual({ user: null });
    const stream = await fetch(`${nodes[1].url}/api/ops/live`, {
      headers: { cookie: [...copy.cookies].map((pair) => pair.join('=')).join('; ') },
    });
    expect(stream.status).toBe(401);
  });

  test('a revoked cookie does not sign its user out again', async () => {
    const { browser } = await signedIn({ role: 'admin', name: 'Twice' });
    const copy = browser.copyAt(nodes[1]);
    await browser.auth.signOut.mutate();
    const again = await signedIn({ role: 'admin', name: 'Twice' });
    await copy.auth.signOut.mutate();
    expect((await again.browser.limit.list.query()).policies).not.toEqual([]);
  });

  test('an admin who became a shopper elsewhere, and one whose row is gone, are admins nowhere', async () => {
    const { browser } = await signedIn({ role: 'admin', name: 'Demoted' });
    await signedIn({ role: 'shopper', name: 'Demoted' });
    expect(await codeOf(browser.limit.list.query())).toBe('UNAUTHORIZED');
    const { browser: gone, user } = await signedIn({ role: 'admin' });
    await database.db.delete(users).where(eq(users.id, user.id));
    expect(await codeOf(gone.limit.list.query())).toBe('UNAUTHORIZED');
  });

  test('two nodes sign one admin out at once: the version increases once', async () => {
    const { browser, user } = await signedIn({ role: 'admin' });
    const copy = browser.copyAt(nodes[1]);
    await Promise.all([browser.auth.signOut.mutate(), copy.auth.signOut.mutate()]);
    expect(await database.db.select().from(users).where(eq(users.id, user.id))).toMatchObject([
      { sessionVersion: 1 },
    ]);
  });

  test('a shopper’s cookie is accepted without a query until it expires', async () => {
    const { browser, user } = await signedIn({ role: 'shopper' });
    const copy = browser.copyAt(nodes[1]);
    await browser.auth.signOut.mutate();
    expect(await copy.auth.me.query()).toEqual({ user });
    expect(await codeOf(copy.ops.audit.query({}))).toBe('FORBIDDEN');
  });

  /** A page that shows a user, in a browser where `browser` signed in. */
  function pageShowing(shown: string, { browser }: Pick<Awaited<ReturnType<typeof signedIn>>, 'browser'>) {
    return openBrowser(nodes[0], {
      cookies: new Map(browser.cookies),
      headers: { 'floodgate-user': shown },
    });
  }

  test('every answer names its user', async () => {
    const { browser, user } = await signedIn({ role: 'shopper' });
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const namedBy = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${nodes[0].url}${path}`, init)).headers.get('floodgate-user');
    expect(await namedBy('/api/trpc/auth.me')).toBe('anonymous');
    expect(await namedBy('/api/trpc/auth.me', { headers: { cookie } })).toBe(user.id);
    expect(await namedBy('/api/trpc/order.byId', { headers: { cookie } }), 'an error').toBe(user.id);
    const signOut = { method: 'POST', headers: { cookie, 'content-type': 'application/json' } };
    expect(await namedBy('/api/trpc/auth.signOut', signOut)).toBe('anonymous');
  });

  test('a call of a page that shows another user answers 409, reads and changes nothing, and charges nothing', async () => {
    const ada = await signedIn({ role: 'shopper' });
    const bob = await signedIn({ role: 'shopper' });
    for (const shown of [ada.user.id, 'anonymous']) {
      const { client } = pageShowing(shown, bob);
      expect(await codeOf(client.coupon.seckill.mutate({ couponId: 'none' }))).toBe('CONFLICT');
      const { data } = await client.order.pay.mutate({ id: 'none' }).catch((error) => error);
      expect(data).toMatchObject({ code: 'CONFLICT', otherUser: true });
      expect(await codeOf(client.queue.leave.mutate({ ticketId: 'none' }))).toBe('CONFLICT');
      expect(await codeOf(client.auth.signOut.mutate())).toBe('CONFLICT');
      expect(await codeOf(client.queue.mine.query())).toBe('CONFLICT');
      expect(await codeOf(client.order.list.query())).toBe('CONFLICT');
      expect((await client.auth.me.query()).user, 'so that the page can correct itself').toEqual(bob.user);
      const { windows } = await client.limit.mine.query();
      expect(windows.filter(({ level, used }) => level === 'user' && used > 0)).toEqual([]);
    }
    const { client } = pageShowing(bob.user.id, bob);
    expect(await codeOf(client.coupon.seckill.mutate({ couponId: 'none' }))).toBe('NOT_FOUND');
  });

  test('a page whose session has ended gets 401, and signs out without an error', async () => {
    const { client } = openBrowser(nodes[0], { headers: { 'floodgate-user': 'the-former-user' } });
    expect(await codeOf(client.coupon.seckill.mutate({ couponId: 'none' }))).toBe('UNAUTHORIZED');
    expect(await client.auth.signOut.mutate()).toEqual({});
  });

  test('a browser that starts as a new shopper twice stays the first one, whichever user its page shows', async () => {
    const first = await signedIn({ role: 'shopper' });
    for (const shown of ['anonymous', first.user.id]) {
      const { client } = pageShowing(shown, first);
      expect(await client.auth.signInDemo.mutate({}), shown).toEqual({ user: first.user });
    }
    const script = first.browser.copyAt(nodes[0]);
    expect(await script.auth.signInDemo.mutate({}), 'no page').toEqual({ user: first.user });
    const named = await script.auth.signInDemo.mutate({ name: 'Named' });
    expect(named.user.name, 'a chosen name is another user').toBe('Named');
  });

  test('a session that was never signed in here has no user', async () => {
    const { createCookieHeader } = createSessions({ secrets: [SECRET], secure: false });
    const cookie = createCookieHeader({ id: randomUUID(), name: 'Made up', role: 'admin' });
    const { limit } = browserAt(nodes[0], new Map([cookie.split('=') as [string, string]]));
    expect(await codeOf(limit.list.query())).toBe('UNAUTHORIZED');
  });
});
