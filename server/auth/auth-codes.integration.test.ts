import { TRPCClientError } from '@trpc/client';
import { count, eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createTestContext } from '../../test/context';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { startTestNode, type TestNode } from '../../test/node';
import { openBrowser } from '../../test/open-browser';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { startSmtpServer } from '../../test/smtp-server';
import { sharedSecrets, signInCodes, users } from '../db/schema';
import { AppError } from '../errors';
import { createCallerFactory } from '../trpc/procedures';
import type { CodeMail, Mailer } from './code-mail';
import { createAuthRouter } from './router';
import { createSendCode, createVerifyCode } from './sign-in-by-code';
import { createSignInCodes } from './sign-in-codes';
import { createSmtpMailer } from './smtp-mailer';
import { createSessionVersions } from './user-sessions';

const MINUTE = 60_000;
const rejected = {
  code: 'BAD_REQUEST',
  message: 'code: does not sign you in here. Check it, or request a new one.',
};

describe.each(queryDatabases)('codes on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());
  afterEach(async () => {
    await database.db.delete(signInCodes);
    await database.db.delete(users);
  });

  /** The procedures over one table, and the mails they would have sent. */
  function desk({ adminEmails = [] as string[] } = {}) {
    const mails: CodeMail[] = [];
    const clock = { now: Date.UTC(2030, 0, 1) };
    const codes = createSignInCodes({ db: database.db, secret: 'of this test', now: () => clock.now });
    const mailer: Mailer = { send: async (mail) => void mails.push(mail) };
    const router = createAuthRouter({
      demo: false,
      signInDemo: () => Promise.reject(new Error('there are no demo users here')),
      sendCode: createSendCode({ codes, mailer }),
      verifyCode: createVerifyCode({ db: database.db, codes, adminEmails }),
      revokeSession: createSessionVersions({ db: database.db }).revoke,
    });
    return {
      mails,
      clock,
      codes,
      lastCode: () => mails.at(-1)?.code ?? '',
      /** A browser with cookies of its own. */
      browser(overrides: Parameters<typeof createTestContext>[0] = {}) {
        const cookies = overrides.cookies ?? new Map<string, string>();
        const context = createTestContext({ ...overrides, cookies });
        // Named one by one: a caller is a proxy and has nothing to spread.
        const { sendCode, verifyCode } = createCallerFactory(router)(context);
        return { context, cookies, sendCode, verifyCode };
      },
    };
  }

  /** A code of six digits that is not this one. */
  const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  test('a mailed code signs in once', async () => {
    const { browser, mails, lastCode } = desk();
    const { context, sendCode, verifyCode } = browser({ language: 'zh' });
    expect(await sendCode({ email: ' Ada.Lovelace@Example.com ' })).toEqual({ expiresInMs: 10 * MINUTE });
    expect(mails).toEqual([
      { to: 'ada.lovelace@example.com', code: expect.stringMatching(/^\d{6}$/), language: 'zh' },
    ]);

    const { user } = await verifyCode({ email: 'ADA.lovelace@example.com', code: lastCode() });
    expect(user).toEqual({
      id: expect.any(String),
      name: 'Ada Lovelace',
      email: 'ada.lovelace@example.com',
      role: 'shopper',
    });
    expect(context.sessions).toEqual([user]);

    await expect(verifyCode({ email: user.email ?? '', code: lastCode() })).rejects.toMatchObject(rejected);
    expect(context.sessions).toHaveLength(1);
  });

  test.each([
    (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)}\n`,
    (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
    (code: string) => [...code].map((digit) => String.fromCharCode(0xfee0 + digit.charCodeAt(0))).join(''),
  ])('a code is taken as people paste it (%#)', async (pasted) => {
    const { browser, lastCode } = desk();
    const { sendCode, verifyCode } = browser();
    await sendCode({ email: 'ada@example.com' });
    expect(await verifyCode({ email: 'ada@example.com', code: pasted(lastCode()) })).toHaveProperty('user');
  });

  test('the table holds neither codes nor addresses nor browser ids', async () => {
    const { browser, lastCode } = desk();
    const { context, sendCode } = browser();
    await sendCode({ email: 'ada@example.com' });
    const browserId = context.browser.requestedCode('ada@example.com') ?? '';
    const rows = await database.pool.query('select * from sign_in_codes');
    expect(rows.rows).toHaveLength(1);
    const text = JSON.stringify(rows.rows);
    expect(browserId).toMatch(/^[\w-]{22}$/);
    for (const secret of [lastCode(), 'ada', browserId]) expect(text).not.toContain(secret);
  });

  test('20 tabs of one browser redeem a code at once: one signs in', async () => {
    const { browser, lastCode } = desk();
    const { cookies, sendCode } = browser();
    await sendCode({ email: 'ada@example.com' });
    const tab = () => browser({ cookies: new Map(cookies) });
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => tab().verifyCode({ email: 'ada@example.com', code: lastCode() })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(rejected);
    }
  });

  test('a code is valid for ten minutes less a millisecond', async () => {
    const { browser, clock, lastCode } = desk();
    const { sendCode, verifyCode } = browser();
    await sendCode({ email: 'ada@example.com' });
    clock.now += 10 * MINUTE;
    await expect(verifyCode({ email: 'ada@example.com', code: lastCode() })).rejects.toMatchObject(rejected);
    clock.now -= 1;
    expect(await verifyCode({ email: 'ada@example.com', code: lastCode() })).toHaveProperty('user');
  });

  test('a wrong, foreign or never requested code gets the same answer', async () => {
    const { browser, lastCode } = desk();
    const { sendCode, verifyCode } = browser();
    await sendCode({ email: 'ada@example.com' });
    const code = lastCode();
    const elsewhere = browser();
    await elsewhere.sendCode({ email: 'eve@example.com' });

    for (const attempt of [
      () => verifyCode({ email: 'ada@example.com', code: otherThan(code) }),
      () => verifyCode({ email: 'eve@example.com', code }),
      () => elsewhere.verifyCode({ email: 'ada@example.com', code }),
      () => browser().verifyCode({ email: 'ada@example.com', code }),
    ]) {
      await expect(attempt()).rejects.toMatchObject(rejected);
    }
    expect(
      await verifyCode({ email: 'ada@example.com', code }),
      'a wrong try uses nothing up',
    ).toHaveProperty('user');
  });

  test.each(['', '12345', '1234567', '12345a', '١٢٣٤٥٦', 'x'.repeat(65)])('%j is no code', async (code) => {
    await expect(desk().browser().verifyCode({ email: 'ada@example.com', code })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  test('a newer code of the same browser replaces the older; another browser keeps its own', async () => {
    const { browser, lastCode } = desk();
    const { sendCode, verifyCode } = browser();
    const elsewhere = browser();
    await elsewhere.sendCode({ email: 'ada@example.com' });
    const theirs = lastCode();
    await sendCode({ email: 'ada@example.com' });
    const older = lastCode();
    do await sendCode({ email: 'ada@example.com' });
    while (lastCode() === older);

    await expect(verifyCode({ email: 'ada@example.com', code: older })).rejects.toMatchObject(rejected);
    expect(await verifyCode({ email: 'ada@example.com', code: lastCode() })).toHaveProperty('user');
    expect(await elsewhere.verifyCode({ email: 'ada@example.com', code: theirs })).toHaveProperty('user');
  });

  test('the same address is the same user, and the name stays', async () => {
    const { browser, lastCode } = desk();
    const signIn = async () => {
      const { sendCode, verifyCode } = browser();
      await sendCode({ email: 'ada@example.com' });
      return (await verifyCode({ email: 'ada@example.com', code: lastCode() })).user;
    };
    const first = await signIn();
    await database.db.update(users).set({ name: 'Countess' }).where(eq(users.id, first.id));
    expect(await signIn()).toEqual({ ...first, name: 'Countess' });
  });

  test('a demo shopper with the same name is another user', async () => {
    await database.db.insert(users).values({ id: 'demo', name: 'Ada', isDemo: true });
    const { browser, lastCode } = desk();
    const { sendCode, verifyCode } = browser();
    await sendCode({ email: 'ada@example.com' });
    const { user } = await verifyCode({ email: 'ada@example.com', code: lastCode() });
    expect(user).toMatchObject({ name: 'Ada' });
    expect(user.id).not.toBe('demo');
  });

  test('each sign-in sets the role from the list of admins', async () => {
    const roleWith = async (adminEmails: string[]) => {
      const { browser, lastCode } = desk({ adminEmails });
      const { sendCode, verifyCode } = browser();
      await sendCode({ email: 'Ada@example.com' });
      return (await verifyCode({ email: 'ada@example.com', code: lastCode() })).user.role;
    };
    expect(await roleWith(['grace@example.com'])).toBe('shopper');
    expect(await roleWith(['grace@example.com', 'ada@example.com'])).toBe('admin');
    expect(await roleWith([])).toBe('shopper');
  });

  test('a code stays valid if the user cannot be written', async () => {
    const { browser, codes, lastCode } = desk();
    const { sendCode, verifyCode, context } = browser();
    await sendCode({ email: 'ada@example.com' });
    const email = 'ada@example.com';
    const attempt = { email, code: lastCode(), browserId: context.browser.requestedCode(email) ?? '' };
    await expect(
      database.db.transaction(async (transaction) => {
        await codes.redeem(transaction, attempt);
        throw new Error('a bug');
      }),
    ).rejects.toThrow('a bug');
    expect(await verifyCode(attempt)).toHaveProperty('user');
  });

  test('expired codes are deleted, the others stay', async () => {
    const { browser, clock, codes } = desk();
    await browser().sendCode({ email: 'ada@example.com' });
    clock.now += 5 * MINUTE;
    await browser().sendCode({ email: 'ada@example.com' });
    clock.now += 5 * MINUTE;
    await codes.sweepExpired();
    expect(await database.db.select({ rows: count() }).from(signInCodes)).toEqual([{ rows: 1 }]);
  });
});

describe('over HTTP', () => {
  let database: TestDatabase;
  let redis: TestService;
  beforeAll(async () => {
    [database, redis] = await Promise.all([freshDatabase(await postgresUrl()), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([database.drop(), redis.stop()]);
  });

  async function startNode(settings: Record<string, string>): Promise<TestNode> {
    const node = await startTestNode({
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      TRUSTED_PROXIES: '127.0.0.1',
      ...settings,
    });
    onTestFinished(() => node.stop());
    return node;
  }

  /** A browser at an address of its own, with its cookies. */
  function browser(node: TestNode, { ip, cookies: copied }: { ip: string; cookies?: Map<string, string> }) {
    const { client, cookies } = openBrowser(node, {
      headers: { 'x-forwarded-for': ip },
      cookies: new Map(copied),
    });
    const { sendCode, verifyCode, me, signOut } = client.auth;
    return { sendCode, verifyCode, me, signOut, mine: client.limit.mine, cookies };
  }

  const mailbox = async ({ url }: TestNode): Promise<{ to: string; code: string; sentAt: number }[]> =>
    (await fetch(`${url}/dev/mailbox.json`)).json();

  async function refusalOf(call: Promise<unknown>): Promise<unknown> {
    const error: unknown = await call.then(
      () => new Error('it was let in'),
      (reason: unknown) => reason,
    );
    return error instanceof TRPCClientError ? { message: error.message, ...error.data } : error;
  }

  test('a code requested on one node is in the mailbox of another, and signs in on a third', async () => {
    const demo = { FLOODGATE_DEMO: '1' };
    const [first, second, third] = [await startNode(demo), await startNode(demo), await startNode(demo)];
    const { sendCode, verifyCode, me, cookies } = browser(first, { ip: '198.51.100.1' });
    await sendCode.mutate({ email: 'Two.Nodes@example.com' });
    const [newest] = await mailbox(second);
    expect(newest).toEqual({
      to: 'two.nodes@example.com',
      code: expect.stringMatching(/^\d{6}$/),
      sentAt: expect.any(Number),
    });
    const here = browser(third, { ip: '198.51.100.1' });
    for (const [name, value] of cookies) here.cookies.set(name, value);
    const { user } = await here.verifyCode.mutate({
      email: 'two.nodes@example.com',
      code: newest?.code ?? '',
    });
    expect(user).toMatchObject({ name: 'Two Nodes', role: 'shopper' });
    expect(await here.me.query()).toEqual({ user });
    expect(await me.query()).toEqual({ user: null });
    expect(
      await refusalOf(verifyCode.mutate({ email: 'two.nodes@example.com', code: '000000' })),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      message: rejected.message,
    });
  });

  test('an address gets three codes a minute from all callers; the fourth is refused', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    for (const ip of ['198.51.100.10', '198.51.100.11', '198.51.100.12']) {
      await browser(node, { ip }).sendCode.mutate({ email: 'flooded@example.com' });
    }
    const { sendCode } = browser(node, { ip: '198.51.100.13' });
    expect(await refusalOf(sendCode.mutate({ email: ' FLOODED@example.com' }))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      rateLimit: { policy: 'auth.sendCode', level: 'email', limit: 3, windowMs: MINUTE, remaining: 0 },
    });
    expect((await mailbox(node)).filter(({ to }) => to === 'flooded@example.com')).toHaveLength(3);
  });

  test('after five tries in ten minutes, even the right code is refused for this address, but not for others', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    const email = 'guessed@example.com';
    const here = browser(node, { ip: '198.51.100.20' });
    await here.sendCode.mutate({ email });
    const code = (await mailbox(node))[0]?.code ?? '';
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await refusalOf(here.verifyCode.mutate({ email, code: wrong }))).toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    expect(await refusalOf(here.verifyCode.mutate({ email, code }))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      rateLimit: { policy: 'auth.verifyCode', level: 'email+ip', limit: 5, windowMs: 10 * MINUTE },
    });
    const moved = browser(node, { ip: '198.51.100.21' });
    for (const [name, value] of here.cookies) moved.cookies.set(name, value);
    expect(await moved.verifyCode.mutate({ email, code })).toMatchObject({ user: { email } });
  });

  test.each([
    { which: 'without a cookie', ip: '198.51.103.1', cookie: undefined, own: undefined },
    { which: 'with a made-up cookie', ip: '198.51.103.2', cookie: 'AAECAwQFBgcICQoLDA0ODw', own: undefined },
    {
      which: 'with a code for another address',
      ip: '198.51.103.3',
      cookie: undefined,
      own: 'own@example.com',
    },
  ])(
    'a browser $which has no code checked, and charges its own address only',
    async ({ ip, cookie, own }) => {
      const node = await startNode({ FLOODGATE_DEMO: '1' });
      const email = 'locked-out@example.com';
      const script = browser(node, { ip });
      if (cookie) script.cookies.set('floodgate_browser', cookie);
      if (own) await script.sendCode.mutate({ email: own });
      for (let call = 0; call < 30; call += 1) {
        const attempt = script.verifyCode.mutate({ email, code: '000000' });
        expect(await refusalOf(attempt)).toMatchObject({ code: 'BAD_REQUEST', message: rejected.message });
      }
      expect(await refusalOf(script.verifyCode.mutate({ email, code: '000000' }))).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        rateLimit: { policy: 'auth.verifyCode', level: 'ip' },
      });
      const owner = browser(node, { ip: '198.51.100.26' });
      const { windows } = await owner.mine.query({ policy: 'auth.verifyCode', input: { email } });
      expect(windows.map(({ level, used }) => [level, used])).toEqual([
        ['email+ip', 0],
        ['email', 0],
        ['email-daily', 0],
        ['ip', 0],
      ]);
    },
  );

  test('a stranger requests codes and guesses until refused; the owner’s known browser still signs in', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    const email = 'owner@example.com';
    const codeOf = async () => (await mailbox(node)).find(({ to }) => to === email)?.code ?? '';
    const wrongCode = async () => ((await codeOf()) === '000000' ? '000001' : '000000');
    const owner = browser(node, { ip: '198.51.104.1' });
    await owner.sendCode.mutate({ email });
    await owner.verifyCode.mutate({ email, code: await codeOf() });
    await owner.signOut.mutate();
    expect(await owner.me.query()).toEqual({ user: null });

    const stranger = browser(node, { ip: '198.51.104.1' });
    await stranger.sendCode.mutate({ email });
    const refusals = new Set<string>();
    for (let ip = 1; ip <= 5; ip += 1) {
      // Its first address is the owner's, too.
      const moved = browser(node, { ip: `198.51.104.${ip}`, cookies: stranger.cookies });
      for (let guess = 0; guess < 6; guess += 1) {
        const refusal = await refusalOf(moved.verifyCode.mutate({ email, code: await wrongCode() }));
        const { rateLimit } = refusal as { rateLimit?: { level: string } };
        if (rateLimit) refusals.add(rateLimit.level);
      }
    }
    expect(refusals).toEqual(new Set(['email+ip', 'email']));

    await owner.sendCode.mutate({ email });
    const code = await codeOf();
    const elsewhere = browser(node, { ip: '198.51.104.9', cookies: owner.cookies });
    elsewhere.cookies.delete('floodgate_known');
    expect(await refusalOf(elsewhere.verifyCode.mutate({ email, code }))).toMatchObject({
      rateLimit: { level: 'email' },
    });
    for (let guess = 0; guess < 4; guess += 1) {
      const attempt = owner.verifyCode.mutate({ email, code: await wrongCode() });
      expect(await refusalOf(attempt)).toMatchObject({ code: 'BAD_REQUEST' });
    }
    expect(await owner.verifyCode.mutate({ email, code }), 'at the stranger’s address').toMatchObject({
      user: { email },
    });
  });

  test('a known browser has a limit of its own, too', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    const email = 'forgetful@example.com';
    const codeOf = async () => (await mailbox(node)).find(({ to }) => to === email)?.code ?? '';
    const owner = browser(node, { ip: '198.51.105.1' });
    await owner.sendCode.mutate({ email });
    await owner.verifyCode.mutate({ email, code: await codeOf() });
    await owner.sendCode.mutate({ email });
    const wrong = (await codeOf()) === '000000' ? '000001' : '000000';
    for (let guess = 0; guess < 5; guess += 1)
      expect(await refusalOf(owner.verifyCode.mutate({ email, code: wrong }))).toMatchObject({
        code: 'BAD_REQUEST',
      });
    expect(await refusalOf(owner.verifyCode.mutate({ email, code: wrong }))).toMatchObject({
      rateLimit: { level: 'email+ip' },
    });
    const other = browser(node, { ip: '198.51.105.2' });
    await other.sendCode.mutate({ email });
    expect(await other.verifyCode.mutate({ email, code: await codeOf() })).toMatchObject({ user: { email } });
  });

  test('an invalid address is refused with its field, and charges nothing', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    const { sendCode, verifyCode } = browser(node, { ip: '198.51.100.30' });
    for (let call = 0; call < 31; call += 1) {
      expect(await refusalOf(sendCode.mutate({ email: 'nobody' }))).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/^email: /),
      });
    }
    expect(await sendCode.mutate({ email: 'visitor@example.com' })).toEqual({ expiresInMs: 10 * MINUTE });
    expect(await refusalOf(verifyCode.mutate({ email: 'visitor@example.com', code: '12 34' }))).toMatchObject(
      { code: 'BAD_REQUEST', message: 'code: must be six digits' },
    );
  });

  test('known and unknown addresses get the same answer, byte by byte', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    await database.db.insert(users).values({ id: 'known', name: 'Known', email: 'known@example.com' });
    const answers = ['known@example.com', 'unknown@example.com'].map(async (email) => {
      const answer = await fetch(`${node.url}/api/trpc/auth.sendCode`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `2001:db8:${email.length}::1` },
        body: JSON.stringify({ email }),
      });
      const {
        date,
        'set-cookie': cookie = '',
        ratelimit = '',
        ...headers
      } = Object.fromEntries(answer.headers);
      expect(date).toBeDefined();
      // The level of all mails counts both calls.
      const counted = ratelimit.replace(/(:mails";r)=\d+;t=\d+/, '$1=…');
      return {
        headers,
        counted,
        cookie: cookie.replace(/=[\w-]{22}\.\w+\.[\w-]{43};/, '=…;'),
        body: await answer.text(),
      };
    });
    const [known, unknown] = await Promise.all(answers);
    expect(known).toEqual(unknown);
    expect(known?.cookie).toBe('floodgate_browser=…; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax');
  });

  test('outside demo mode there is no mailbox, and without a mail server no code', async () => {
    const node = await startNode({});
    expect((await fetch(`${node.url}/dev/mailbox.json`)).status).toBe(404);
    const { sendCode } = browser(node, { ip: '198.51.100.40' });
    expect(await refusalOf(sendCode.mutate({ email: 'ada@example.com' }))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      httpStatus: 503,
    });
  });

  test('with a mail server, the code is mailed, also in a demo, and signs in', async () => {
    const smtp = await startSmtpServer();
    onTestFinished(() => smtp.close());
    const node = await startNode({
      FLOODGATE_DEMO: '1',
      SMTP_URL: smtp.url,
      PUBLIC_ORIGIN: 'http://sale.example.com',
      ADMIN_EMAILS: 'Boss@Example.com',
    });
    const before = await mailbox(node);
    const { sendCode, verifyCode } = browser(node, { ip: '198.51.100.50' });
    await sendCode.mutate({ email: 'boss@example.com' });
    expect(smtp.mails).toMatchObject([{ from: 'no-reply@sale.example.com', to: ['boss@example.com'] }]);
    const { data = '' } = smtp.mails[0] ?? {};
    expect(data).toMatch(/^Content-Type: multipart\/alternative/m);
    expect(data).toMatch(/^From: Floodgate <no-reply@sale\.example\.com>/m);
    const code = /^Subject: (\d{6}) is your Floodgate code/m.exec(data)?.[1] ?? '';
    expect(await verifyCode.mutate({ email: 'boss@example.com', code })).toMatchObject({
      user: { role: 'admin' },
    });
    expect(await mailbox(node), 'the mailbox is for demos without a mail server').toEqual(before);
  });

  test('the mailbox keeps the newest fifty codes', async () => {
    const node = await startNode({ FLOODGATE_DEMO: '1' });
    for (let n = 0; n < 55; n += 1) {
      const { sendCode } = browser(node, { ip: `198.51.101.${n}` });
      await sendCode.mutate({ email: `many-${n}@example.com` });
    }
    const entries = await mailbox(node);
    expect(entries).toHaveLength(50);
    expect(entries[0]?.to).toBe('many-54@example.com');
    expect(entries[49]?.to).toBe('many-5@example.com');
  });

  test('the key of the hashes is created once and shared', async () => {
    await Promise.all([startNode({}), startNode({})]);
    const rows = await database.db
      .select({ rows: count() })
      .from(sharedSecrets)
      .where(eq(sharedSecrets.name, 'sign-in codes'));
    expect(rows).toEqual([{ rows: 1 }]);
  });
});

interface MailServerSettings {
  url?: string;
  credentials?: string;
  timeoutMs?: number;
}

describe('a mail server', () => {
  async function mailing({ credentials = '', ...settings }: MailServerSettings = {}) {
    const smtp = await startSmtpServer();
    onTestFinished(() => smtp.close());
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const url = smtp.url.replace('//', `//${credentials}`);
    const mailer = createSmtpMailer({ url, log, ...settings });
    const send = () => mailer.send({ to: 'ada@example.com', code: '428193', language: 'en' });
    return { smtp, lines, send };
  }

  const unavailable = { name: 'AppError', code: 'SERVICE_UNAVAILABLE' };

  test.each([
    ['is not there', async () => mailing({ url: 'smtp://127.0.0.1:1' })],
    ['refuses the sender', async () => answering({ MAIL: '550 5.7.1 <no-reply@localhost> denied' })],
    ['puts the recipient off', async () => answering({ RCPT: '451 4.7.1 <ada@example.com> greylisted' })],
    ['refuses the mail', async () => answering({ BODY: '554 5.7.1 428193 for <ada@example.com> is spam' })],
    ['does not greet', async () => answering({ GREETING: '' }, { timeoutMs: 200 })],
    ['falls silent', async () => answering({ DATA: '' }, { timeoutMs: 200 })],
    ['offers no TLS to a password', async () => mailing({ credentials: 'ada:secret@' })],
  ])('that %s: unavailable, and one line that names neither address nor code', async (_case, prepare) => {
    const { send, lines } = await prepare();
    const failure: unknown = await send().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject(unavailable);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/ada@|428193|secret/);
  });

  test('that permanently refuses a recipient gets the same answer as one that accepts it', async () => {
    const { send, lines, smtp } = await answering({ RCPT: '550 5.1.1 <ada@example.com> no such user' });
    await send();
    expect(smtp.mails).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"responseCode":550');
    expect(lines[0]).not.toContain('ada@');
  });

  async function answering(answers: Record<string, string>, settings: MailServerSettings = {}) {
    const made = await mailing(settings);
    Object.assign(made.smtp.answers, answers);
    return made;
  }
});
