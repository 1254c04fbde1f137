import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { startTestNode, type TestNode } from '../../test/node';
import { startEmptyRedis } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { waitUntil } from '../../test/wait-until';
import { limitPersonOverrides } from '../db/limit-schema';
import { auditLog, users } from '../db/schema';
import type { AppRouter } from '../router';
import type { User } from '../trpc/context';
import { MAX_PERSONS } from './person-rows';

const admin: User = { id: 'the-admin', name: 'Dara', role: 'admin' };
const seckill = { policy: 'coupon.seckill', level: 'user' };
const merchant = { policy: 'merchant', level: 'ip' };
const why = 'a test';

describe.each(queryDatabases)('on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let here: TestNode;
  let there: TestNode;

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
    redis = await startEmptyRedis();
    const settings = {
      ...{ REDIS_URL: redis.url, DATABASE_URL: database.url },
      FLOODGATE_PGLITE: pglite ? '1' : '0',
    };
    [here, there] = [await startTestNode(settings), await startTestNode(settings)];
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await redis.stop();
    await database.drop();
  });
  beforeEach(async () => {
    await database.db.delete(auditLog);
  });
  afterEach(async () => {
    for (const { personId } of (await person().list.query({})).persons)
      await person().lift.mutate({ personId });
    await database.db.delete(limitPersonOverrides);
  });

  function as(user: User | undefined, node = here) {
    const headers = user ? { cookie: node.sessions.createCookieHeader(user) } : {};
    return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${node.url}/api/trpc`, headers })] });
  }
  const person = (node = here) => as(admin, node).limit.person;

  async function errorDataOf(call: Promise<unknown>) {
    const error = await call.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (!(error instanceof TRPCClientError)) throw new Error('the call was answered', { cause: error });
    return error.data;
  }

  async function windowOf(id: string, node = there) {
    const { windows } = await as({ id, name: id, role: 'shopper' }, node).limit.mine.query({});
    return windows.find(({ policy }) => policy === seckill.policy);
  }

  test('new numbers apply on the other node, and to this person alone', async () => {
    const rule = { kind: 'numbers' as const, limit: 20 };
    const { person: set } = await person().set.mutate({ ...seckill, subject: 'vera-the-vip', rule, why });
    expect(set).toMatchObject({ ...seckill, subject: 'ver…ip', rule, why, who: admin.id });
    expect(await windowOf('vera-the-vip', here)).toMatchObject({ limit: 20, personal: true });
    await waitUntil(async () => (await windowOf('vera-the-vip'))?.limit === 20);
    expect(await windowOf('another-shopper')).toMatchObject({ limit: 5 });

    await person().lift.mutate({ personId: set.personId });
    await waitUntil(async () => (await windowOf('vera-the-vip'))?.limit === 5);
    expect(await errorDataOf(person().lift.mutate({ personId: set.personId }))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a denied person is refused on the other node, with the end of the ban', async () => {
    const until = Date.now() + 600_000;
    const eve: User = { id: 'eve-the-bot', name: 'Eve', role: 'shopper' };
    await person().set.mutate({ ...seckill, subject: eve.id, rule: { kind: 'deny', until }, why });
    const buy = () => errorDataOf(as(eve, there).coupon.seckill.mutate({ couponId: 'none' }));
    await waitUntil(async () => (await buy())?.httpStatus === 429);
    expect(await buy()).toMatchObject({
      rateLimit: { ...seckill, reason: 'banned', bannedUntil: until, remaining: 0 },
    });
    expect(await windowOf(eve.id)).toMatchObject({ bannedUntil: until, remaining: 0 });
  });

  test('a range exempts its addresses, and the headers leave the level out', async () => {
    const call = () => fetch(`${there.url}/api/trpc/merchant.list`);
    expect((await call()).headers.get('ratelimit-policy')).toContain('"merchant:ip";q=5');
    const { person: set } = await person().set.mutate({
      ...{ ...merchant, subject: ' 127.1.2.3/8', rule: { kind: 'exempt' as const }, why },
    });
    expect(set).toMatchObject({ ref: '127.0.0.0/8', subject: '127.0.0.0/8' });
    await waitUntil(async () => !(await call()).headers.has('ratelimit-policy'));
    for (let made = 0; made < 10; made += 1) expect((await call()).status).toBe(200);
  });

  test('the list and the audit log name the rule and the mask, never the subject', async () => {
    await database.db.insert(users).values({ id: 'id-of-vera-9', name: 'Vera', email: 'vera@example.com' });
    const set = (limit: number) =>
      person().set.mutate({
        ...seckill,
        subject: ' Vera@Example.com',
        rule: { kind: 'numbers', limit },
        why,
      });
    await set(20);
    const { person: again } = await set(30);
    const { persons } = await person().list.query({});
    expect(persons).toEqual([{ ...again, subject: 'id-…-9', whoName: 'Dara' }]);
    await person().lift.mutate({ personId: again.personId });
    const log = await database.db.select().from(auditLog);
    const numbers = (limit: number) => ({ kind: 'numbers', limit });
    const target = 'coupon.seckill:user:id-…-9';
    expect(log).toMatchObject([
      { what: 'limit.person.set', target, before: {}, after: numbers(20), why },
      { what: 'limit.person.set', target, before: numbers(20), after: numbers(30), who: admin.id },
      { what: 'limit.person.lift', target, before: numbers(30), after: {} },
    ]);
    const stored = JSON.stringify([log, await database.db.select().from(limitPersonOverrides)]);
    expect(stored).not.toMatch(/vera@|id-of-vera/i);
  });

  test('the pseudonym of a subject is accepted with its mask', async () => {
    const rule = { kind: 'numbers' as const, limit: 20 };
    const { person: set } = await person().set.mutate({ ...seckill, subject: 'vera-the-vip', rule, why });
    const { person: same } = await person().set.mutate({
      ...{ ...seckill, subject: set.ref, mask: 'ver…ip', rule: { kind: 'exempt' as const }, why },
    });
    expect(same).toMatchObject({ ref: set.ref, subject: 'ver…ip', rule: { kind: 'exempt' } });
    expect((await person().list.query({})).persons).toHaveLength(1);
  });

  const good = { ...seckill, subject: 'ada', rule: { kind: 'numbers' as const, limit: 20 }, why };
  test.each<[mistake: string, input: object, data: object]>([
    ['an unknown policy', { policy: 'none' }, { code: 'NOT_FOUND' }],
    ['an unknown level', { level: 'none' }, { code: 'NOT_FOUND' }],
    ['a level of all callers', { level: 'global' }, { problems: [{ field: 'subject' }] }],
    [
      'a text that is no address',
      { ...merchant, subject: '10.0.0.1/99' },
      { problems: [{ field: 'subject' }] },
    ],
    ['an unknown e-mail address', { subject: 'unknown@example.com' }, { code: 'NOT_FOUND' }],
    ['no reason', { why: ' ' }, { problems: [{ field: 'why' }] }],
    ['no subject', { subject: ' ' }, { problems: [{ field: 'subject' }] }],
    ['no numbers', { rule: { kind: 'numbers' } }, { problems: [{ field: 'rule' }] }],
    [
      'a limit of nothing',
      { rule: { kind: 'numbers', limit: 0 } },
      { problems: [{ field: 'limit', least: 1 }] },
    ],
    ['a denial in the past', { rule: { kind: 'deny', until: 1 } }, { problems: [{ field: 'until' }] }],
    ['a denial of centuries', { rule: { kind: 'deny', until: 9e12 } }, { problems: [{ field: 'until' }] }],
    ['an unknown rule', { rule: { kind: 'praise' } }, { code: 'BAD_REQUEST' }],
  ])('%s is refused, and nothing is stored', async (_mistake, input, data) => {
    expect(await errorDataOf(person().set.mutate({ ...good, ...input }))).toMatchObject(data);
    expect((await person().list.query({})).persons).toEqual([]);
  });

  test('shoppers may not set, list or lift', async () => {
    const shopper = as({ id: 'eve', name: 'Eve', role: 'shopper' }).limit.person;
    const calls = [
      () => shopper.set.mutate(good),
      () => shopper.list.query({}),
      () => shopper.lift.mutate({ personId: 1 }),
    ];
    for (const call of calls) expect(await errorDataOf(call())).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('beyond the maximum a new subject is refused until a denial has ended, and a known one is changed', async () => {
    const ended = new Date(Date.now() - 1);
    await database.db.execute(sql`
      insert into limit_person_overrides (policy, level, ref, subject, version, kind, until, who, why)
      select ${seckill.policy}, ${seckill.level}, lpad(index::text, 22, '0'), 's…', 0,
        (case index when 0 then 'deny' else 'exempt' end)::person_rule, case index when 0 then ${ended}::timestamptz end, 'ada', ${why}
      from generate_series(0, ${MAX_PERSONS - 1}::int) as index`);

    await person().set.mutate(good);
    expect(await errorDataOf(person().set.mutate({ ...good, subject: 'bob' }))).toMatchObject({
      problems: [{ code: 'too-big', most: MAX_PERSONS }],
    });
    await person().set.mutate({ ...good, rule: { kind: 'numbers', limit: 21 } });
    const page = await person().list.query({});
    expect(page.persons).toHaveLength(60);
    const { persons: next } = await person().list.query({ cursor: page.nextCursor });
    expect(next[0]?.personId).toBeLessThan(page.persons.at(-1)?.personId ?? 0);
    await waitUntil(async () => (await windowOf('ada'))?.limit === 21);
    // Without them, the rest of the file lifts one override and not a page of 60.
    await database.db.delete(limitPersonOverrides).where(eq(limitPersonOverrides.who, 'ada'));
  });
});
