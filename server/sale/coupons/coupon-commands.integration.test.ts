import { randomUUID } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { queryDatabases } from '../../../test/databases';
import { clientOf, startTestNode } from '../../../test/node';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import { startRedis } from '../../../test/services/redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { auditLog, coupons, merchants, orders } from '../../db/schema';
import { readScript } from '../../limiter/stores/lua-scripts';
import { saleKeys } from '../../redis/keys';
import type { User } from '../../trpc/context';
import { createAmendGate } from '../gate/amend-gate';
import type { Sale } from '../sale';
import { changeCouponRow } from './coupon-commands';
import type { CouponFields } from './coupon-fields';

const HOUR_MS = 3_600_000;

describe.each(queryDatabases)('coupon commands on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  /** Two nodes. */
  let here: Sale;
  let there: Sale;

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    redis = await startEmptyRedis();
    const { db } = database;
    here = await startTestSale({ db, redisUrl: redis.url, nodeName: 'here' });
    there = await startTestSale({ db, redisUrl: redis.url, nodeName: 'there' });
  });
  afterEach(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await redis.stop();
  });

  const readOptions = () => ({ language: 'en' as const, deadline: performance.now() + 280 });
  const operator = () => ({ who: 'ada', readOptions: readOptions() });
  const buy = (sale: Sale, couponId: string, userId: string) =>
    sale.purchase({ kind: 'seckill', couponId, userId, deadline: performance.now() + 280 });
  const update = (
    sale: Sale,
    id: string,
    change: Parameters<Sale['couponCommands']['update']>[0]['change'],
  ) => sale.couponCommands.update({ id, change }, operator());
  const audited = (id: string) =>
    database.db.select().from(auditLog).where(eq(auditLog.target, id)).orderBy(asc(auditLog.id));
  const gateOf = async (id: string) => {
    const client = await connectTestRedis(redis.url);
    try {
      return await client.hgetall(saleKeys(id).gate);
    } finally {
      client.disconnect();
    }
  };

  async function insertMerchant(): Promise<string> {
    const id = `merchant-${randomUUID()}`;
    const text = { en: 'Shop', zh: '店' };
    await database.db
      .insert(merchants)
      .values({ id, name: text, category: text, address: text, about: text });
    return id;
  }

  const fields = async (values: Partial<CouponFields> = {}): Promise<CouponFields> => ({
    merchantId: await insertMerchant(),
    kind: 'seckill',
    title: { en: 'A bowl', zh: '一碗' },
    faceValueCents: 5_000,
    priceCents: 990,
    stock: 2,
    startsAt: Date.now() - 1_000,
    endsAt: Date.now() + HOUR_MS,
    ...values,
  });

  /** A sale that runs, made by the desk of one node. */
  const running = async (values: Partial<CouponFields> = {}) =>
    (await here.couponCommands.create(await fields(values), operator())).id;

  test('create returns the coupon as shoppers see it, and another node sells it at once', async () => {
    const given = await fields();
    const coupon = await here.couponCommands.create(given, operator());
    const { title, ...shown } = given;
    expect(coupon).toMatchObject({
      ...shown,
      title: title.en,
      stock: { total: 2, remaining: 2 },
      state: 'live',
    });
    expect(await buy(there, coupon.id, 'bob')).toMatchObject({ outcome: 'accepted' });
  });

  test('the audit log has the user, the command, and the fields before and after', async () => {
    const given = await fields();
    const { id } = await here.couponCommands.create(given, operator());
    await update(here, id, { addStock: 3 });
    await here.couponCommands.close(id, { ...operator(), who: 'bob' });
    expect(await audited(id)).toMatchObject([
      { who: 'ada', what: 'coupon.create', before: {}, after: { ...given, revision: 0 } },
      {
        who: 'ada',
        what: 'coupon.update',
        before: { stock: 2, revision: 0 },
        after: { stock: 5, revision: 1 },
      },
      { who: 'bob', what: 'coupon.close', before: { endsAt: given.endsAt }, after: { revision: 2 } },
    ]);
  });

  test('each change of a shown coupon changes the version on all nodes, and a sale does not', async () => {
    const id = await running();
    const { couponReader } = there;
    const listed = async () => (await couponReader.list(readOptions())).version;
    let before = await listed();
    await waitUntil(async () => (await couponReader.readVersion()) === before);

    await buy(here, id, 'bob');
    here.couponReader.invalidate();
    expect((await here.couponReader.list(readOptions())).version).toBe(before);

    for (const change of [
      () => update(here, id, { title: { en: 'Two bowls', zh: '两碗' } }),
      () => update(here, id, { addStock: 1 }),
      () => running(),
      () => here.couponCommands.close(id, operator()),
    ]) {
      await change();
      await waitUntil(async () => (await couponReader.readVersion()) !== before);
      before = await couponReader.readVersion();
      await waitUntil(async () => (await listed()) === before);
    }
  });

  test('an equal change and a refused change write nothing', async () => {
    const id = await running();
    await update(here, id, { title: { en: 'A bowl', zh: '一碗' }, stock: 2 });
    await expect(update(here, id, { priceCents: 1 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(update(here, id, { merchantId: 'unknown' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await audited(id)).toHaveLength(1);
    expect(await gateOf(id)).toMatchObject({ revision: '0', remaining: '2' });
  });

  test('an unknown merchant and an unknown coupon are 404, and nothing is written', async () => {
    const unknown = await fields({ merchantId: 'unknown' });
    await expect(here.couponCommands.create(unknown, operator())).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(update(here, 'nothing', { addStock: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(here.couponCommands.close('nothing', operator())).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await database.db.select().from(coupons).where(eq(coupons.merchantId, 'nobody'))).toEqual([]);
    const upcoming = await running({ startsAt: Date.now() + HOUR_MS, endsAt: Date.now() + 2 * HOUR_MS });
    await expect(update(here, upcoming, { merchantId: 'unknown' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await audited(upcoming)).toHaveLength(1);
  });

  test('stock added to a sold-out sale is sold, and no unit more', async () => {
    const id = await running({ stock: 1 });
    expect(await buy(there, id, 'first')).toMatchObject({ outcome: 'accepted' });
    expect(await buy(there, id, 'second')).toEqual({ outcome: 'sold-out' });
    expect(await update(here, id, { addStock: 2 })).toMatchObject({ stock: { total: 3, remaining: 2 } });
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((shopper) => buy(there, id, shopper)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      'accepted',
      'accepted',
      'sold-out',
      'sold-out',
    ]);
  });

  test('stock added under load, on two nodes at once, reaches the gate exactly once', async () => {
    const id = await running({ stock: 20 });
    const shoppers = Array.from({ length: 200 }, (_, n) => `shopper-${n}`);
    const buying = shoppers.map((shopper, n) => buy(n % 2 ? here : there, id, shopper));
    await Promise.all([here, there, here, there].map((desk) => update(desk, id, { addStock: 10 })));
    await Promise.all(buying);
    const late = await Promise.all(shoppers.map((shopper) => buy(here, id, `${shopper}-late`)));
    expect(late.filter(({ outcome }) => outcome === 'sold-out').length).toBeGreaterThanOrEqual(140);
    const confirmed = () => database.db.select().from(orders).where(eq(orders.couponId, id));
    await waitUntil(async () => (await confirmed()).length === 60);
    expect(new Set((await confirmed()).map(({ status }) => status))).toEqual(new Set(['confirmed']));
    expect(await gateOf(id)).toMatchObject({ stock: '60', remaining: '0', revision: '4' });
  });

  test('if the node dies between Postgres and Redis, its added stock reaches the gate within two seconds, once', async () => {
    const id = await running();
    const changed = await changeCouponRow(database.db, {
      ...{ id, who: 'ada', what: 'coupon.update' },
      change: (before) => ({ ...before, stock: 5 }),
    });
    await waitUntil(async () => (await gateOf(id)).remaining === '5');
    const client = await connectTestRedis(redis.url);
    if (!changed) throw new Error('the change was none');
    expect(await createAmendGate({ redis: client })(changed)).toBe('unchanged');
    client.disconnect();
    expect(await gateOf(id)).toMatchObject({ remaining: '5', revision: '1' });
  });

  test('a gate that was rebuilt after a change does not apply it again', async () => {
    const id = await running();
    const client = await connectTestRedis(redis.url);
    const changed = await changeCouponRow(database.db, {
      ...{ id, who: 'ada', what: 'coupon.update' },
      change: (before) => ({ ...before, stock: 5 }),
    });
    await client.del(saleKeys(id).gate);
    await waitUntil(() => here.ensureGate(id));
    if (!changed) throw new Error('the change was none');
    expect(await createAmendGate({ redis: client })(changed)).toBe('unchanged');
    client.disconnect();
    expect(await gateOf(id)).toMatchObject({ stock: '5', remaining: '5' });
  });

  test('a closed sale refuses at once on every node, also before its start; a second close is no change', async () => {
    const open = await running();
    const upcoming = await running({ startsAt: Date.now() + HOUR_MS, endsAt: Date.now() + 2 * HOUR_MS });
    for (const id of [open, upcoming]) {
      expect(await here.couponCommands.close(id, operator())).toMatchObject({ state: 'ended' });
      expect(await buy(there, id, 'bob')).toEqual({ outcome: 'ended' });
      expect(await buy(here, id, 'bob')).toEqual({ outcome: 'ended' });
      await there.couponCommands.close(id, operator());
      expect(await audited(id)).toHaveLength(2);
      await expect(update(here, id, { addStock: 1 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
  });

  test('a moved start holds: nothing is sold before it, and the sale opens at it', async () => {
    const id = await running({ startsAt: Date.now() + 60_000 });
    expect(await buy(there, id, 'bob')).toEqual({ outcome: 'not-started' });
    const startsAt = Date.now() + HOUR_MS / 2;
    expect(await update(here, id, { startsAt })).toMatchObject({ startsAt, state: 'upcoming' });
    expect(await gateOf(id)).toMatchObject({ starts_at: String(startsAt) });
    expect(await buy(there, id, 'bob')).toEqual({ outcome: 'not-started' });
    expect(await update(there, id, { startsAt: Date.now() - 1 })).toMatchObject({ state: 'live' });
    expect(await buy(here, id, 'bob')).toMatchObject({ outcome: 'accepted' });
  });

  test('a seckill that becomes a claim before its start is claimed, without a stock', async () => {
    const startsAt = Date.now() + 60_000;
    const id = await running({ startsAt });
    expect(await update(here, id, { kind: 'claim', priceCents: 0 })).toMatchObject({
      kind: 'claim',
      stock: null,
    });
    await update(here, id, { startsAt: Date.now() - 1 });
    const claimed = await there.purchase({
      ...{ kind: 'claim' as const, couponId: id, userId: 'bob' },
      deadline: performance.now() + 280,
    });
    expect(claimed).toMatchObject({ outcome: 'accepted' });
  });

  test('a changed end also moves the expiry of the keys', async () => {
    const id = await running();
    const client = await connectTestRedis(redis.url);
    const lives = async () => {
      const { gate, outbox } = saleKeys(id);
      return [await client.pttl(gate), await client.pttl(outbox)].map((ms) => Math.round(ms / HOUR_MS));
    };
    expect(await lives()).toEqual([25, 25]);
    await update(here, id, { endsAt: Date.now() + 5 * HOUR_MS });
    expect(await lives()).toEqual([29, 29]);
    await here.couponCommands.close(id, operator());
    expect(await lives()).toEqual([24, 24]);
    client.disconnect();
  });

  test('a change succeeds while Redis is down, and reaches its gate when Redis is back', async () => {
    const id = await running();
    const { port } = redis;
    await redis.kill();
    await update(here, id, { addStock: 3 });
    redis = await startRedis({ port });
    await waitUntil(async () => (await gateOf(id)).remaining === '5');
  });

  test('the gate is open and its script is loaded before the start', async () => {
    const id = await running({ startsAt: Date.now() + 4_000 });
    const client = await connectTestRedis(redis.url);
    const { generation } = await gateOf(id);
    await client.call('SCRIPT', 'FLUSH');
    const purchaseScript = await client.call('SCRIPT', 'LOAD', readScript('sale/purchase.lua'));
    await client.call('SCRIPT', 'FLUSH');
    const isLoaded = async () => {
      const [known] = (await client.call('SCRIPT', 'EXISTS', String(purchaseScript))) as number[];
      return known === 1;
    };
    await waitUntil(isLoaded);
    expect(await buy(there, id, 'early')).toEqual({ outcome: 'not-started' });
    await waitUntil(async () => (await buy(there, id, 'bob')).outcome === 'accepted');
    expect(await gateOf(id)).toMatchObject({ generation, remaining: '1' });
    expect(await client.exists(saleKeys(id).reservations(''))).toBe(0);
    client.disconnect();
  });

  test('1000 concurrent lists share one read of the coupons, in any languages', async () => {
    await insertCoupon(database.db);
    here.couponReader.invalidate();
    const query = vi.spyOn(database.pool, 'query');
    const lists = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        here.couponReader.list({ language: n % 2 ? 'en' : 'zh', deadline: performance.now() + 280 }),
      ),
    );
    const texts = query.mock.calls.map(([statement]) => JSON.stringify(statement));
    const readings = texts.filter((text) => text.includes('"face_value_cents\\"'));
    expect(new Set(readings).size, 'one query for each section').toBe(readings.length);
    expect(readings.length).toBeLessThanOrEqual(6);
    expect(new Set(lists.map((list) => list.coupons.length)).size).toBe(1);
    query.mockRestore();
  });

  test('a coupon has its merchant in the language of the reader, in a list and alone', async () => {
    const couponId = await insertCoupon(database.db);
    await database.db
      .update(merchants)
      .set({ name: { en: 'Tea Room', zh: '茶室' }, category: { en: 'Tea', zh: '茶饮' } })
      .where(eq(merchants.id, `merchant-of-${couponId}`));
    here.couponReader.invalidate();
    const { coupons } = await here.couponReader.list(readOptions());
    expect(coupons.find(({ id }) => id === couponId)?.merchant).toEqual({
      name: 'Tea Room',
      category: 'Tea',
      address: 'Road 1',
    });
    const { coupon } = await here.couponReader.byId(couponId, { ...readOptions(), language: 'zh' });
    expect(coupon.merchant).toEqual({ name: '茶室', category: '茶饮', address: 'Road 1' });
  });

  test('a list is at most 250 ms old, and shows changes of this node at once', async () => {
    const couponId = await insertCoupon(database.db);
    const listed = async (sale: Sale, id: string) =>
      (await sale.couponReader.list(readOptions())).coupons.find((coupon) => coupon.id === id);
    await waitUntil(() => listed(here, couponId));
    await update(here, couponId, { addStock: 7 });
    expect(await listed(here, couponId)).toMatchObject({ stock: { total: 57 } });
    await waitUntil(async () => (await listed(there, couponId))?.stock?.total === 57);
  });
});

describe('coupon.create, coupon.update and coupon.close over HTTP', () => {
  const admin: User = { id: 'ada', name: 'Ada', role: 'admin' };
  const shopper: User = { id: 'bob', name: 'Bob', role: 'shopper' };

  test('only admins may change coupons, and the message of a refused value names the field', async () => {
    const database = await freshDatabase(await postgresUrl());
    const redis = await startEmptyRedis();
    const node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url });
    const as = (user: User | undefined) => clientOf(node, user).coupon;
    const merchantId = `merchant-of-${await insertCoupon(database.db)}`;
    const input = {
      merchantId,
      kind: 'seckill' as const,
      title: { en: 'A bowl', zh: '一碗' },
      faceValueCents: 5_000,
      priceCents: 990,
      stock: 2,
      startsAt: Date.now() - 1_000,
      endsAt: Date.now() + HOUR_MS,
    };

    await expect(as(undefined).create.mutate(input)).rejects.toThrow('Sign in first.');
    await expect(as(shopper).create.mutate(input)).rejects.toThrow('This is for admins only.');
    const { coupon } = await as(admin).create.mutate(input);
    const { id } = coupon;
    expect(coupon).toMatchObject({ state: 'live', stock: { total: 2, remaining: 2 }, title: 'A bowl' });
    expect((await as(undefined).list.query()).coupons.map((one) => one.id)).toContain(id);

    await expect(as(shopper).update.mutate({ id, addStock: 1 })).rejects.toThrow('This is for admins only.');
    await expect(as(shopper).close.mutate({ id })).rejects.toThrow('This is for admins only.');
    await expect(as(admin).update.mutate({ id })).rejects.toThrow('input: must contain at least one change');
    await expect(as(admin).update.mutate({ id, addStock: 0 })).rejects.toThrow('addStock:');
    await expect(as(admin).update.mutate({ id, stock: 9 })).rejects.toThrow(
      'stock: grows by addStock once the sale has begun',
    );
    const { stock: _stock, ...unlimited } = input;
    await expect(as(admin).create.mutate(unlimited)).rejects.toThrow('stock: is required for a seckill');
    await expect(
      as(admin).create.mutate({ ...input, title: { en: 'x'.repeat(81), zh: ' ' } }),
    ).rejects.toThrow(/title\.en: .*title\.zh: /s);
    await expect(as(admin).create.mutate({ ...input, endsAt: input.startsAt })).rejects.toThrow(
      'endsAt: must be after startsAt',
    );
    await expect(as(admin).create.mutate({ ...input, merchantId: 'unknown' })).rejects.toMatchObject({
      data: { code: 'NOT_FOUND' },
    });

    expect((await as(admin).update.mutate({ id, addStock: 3 })).coupon.stock).toEqual({
      total: 5,
      remaining: 5,
    });
    expect((await as(admin).close.mutate({ id })).coupon.state).toBe('ended');
    expect(await as(shopper).seckill.mutate({ couponId: id })).toEqual({ outcome: 'ended' });
    const whoDidIt = await database.db.select().from(auditLog).where(eq(auditLog.target, id));
    expect(new Set(whoDidIt.map(({ who }) => who))).toEqual(new Set(['ada']));

    await node.stop();
    await redis.stop();
    await database.drop();
  });
});
