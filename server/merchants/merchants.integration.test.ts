import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestContext } from '../../test/context';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { QueueFullError } from '../db/call-queue';
import { coupons, merchants } from '../db/schema';
import type { Language } from '../trpc/context';
import { encodeCursor } from '../trpc/inputs';
import { createCallerFactory } from '../trpc/procedures';
import { createMerchantCheck } from './merchant-check';
import { createMerchantRouter } from './router';

const DAY = 24 * 60 * 60 * 1000;
interface Texts {
  en?: string;
  zh?: string;
  category?: string;
  address?: string;
}

function merchant(id: string, { en = id, zh = id, category = id, address = id }: Texts = {}) {
  const both = (text: string) => ({ en: text, zh: text });
  return {
    id,
    name: { en, zh },
    category: both(category),
    address: both(address),
    about: both(`All about ${en}`),
  };
}

function claim(
  id: string,
  merchantId: string,
  { endedAgoMs = -DAY, nextRoundAt = null as Date | null } = {},
) {
  const endsAt = new Date(Date.now() - endedAgoMs);
  return {
    id,
    merchantId,
    kind: 'claim' as const,
    title: { en: id, zh: id },
    faceValueCents: 100,
    priceCents: 0,
    startsAt: new Date(endsAt.getTime() - 30 * DAY),
    endsAt,
    nextRoundAt,
  };
}

describe.each(queryDatabases)('merchants on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
    const many = Array.from({ length: 40 }, (_, n) => merchant(`stall-${String(n).padStart(2, '0')}`));
    await database.db.insert(merchants).values([
      merchant('noodles', {
        en: 'Corner Noodles',
        zh: '街角面馆',
        category: 'Restaurant',
        address: '7 Mill Lane',
      }),
      merchant('percent', { en: '100% Wool', zh: '百分百羊毛' }),
      merchant('under_score', { en: 'Snake_case Cafe', zh: '蛇形咖啡', address: 'C:\\Lane' }),
      ...many,
    ]);
    await database.db
      .insert(coupons)
      .values([
        claim('open', 'noodles'),
        claim('ended-an-hour-ago', 'noodles', { endedAgoMs: DAY / 24 }),
        claim('ended-long-ago', 'noodles', { endedAgoMs: 2 * DAY }),
        claim('followed-by-another', 'noodles', { nextRoundAt: new Date(Date.now() - DAY) }),
      ]);
  });
  afterAll(() => database.drop());

  function call(language: Language = 'en') {
    const listCouponsOfMerchant = async () => ({ coupons: [] });
    const router = createMerchantRouter({ calls: database.calls, listCouponsOfMerchant });
    return createCallerFactory(router)(createTestContext({ language }));
  }
  const idsOf = ({ merchants }: { merchants: { id: string }[] }) => merchants.map(({ id }) => id);
  const search = async (q: string) => idsOf(await call().list({ q }));

  test('three pages hold all merchants once, in one order, and the last has no cursor', async () => {
    const first = await call().list({});
    const second = await call().list({ cursor: first.nextCursor });
    const third = await call().list({ cursor: second.nextCursor });
    expect([first, second, third].map((page) => page.merchants.length)).toEqual([20, 20, 3]);
    expect(third).not.toHaveProperty('nextCursor');
    const ids = [first, second, third].flatMap(idsOf);
    expect(new Set(ids).size).toBe(43);
    expect(ids).toEqual(ids.toSorted());
  });

  test('a cursor returns the next page after its merchant was deleted', async () => {
    const after = encodeCursor([Date.now(), 0, 'stall-37-that-closed']);
    expect(idsOf(await call().list({ cursor: after }))).toEqual(['stall-38', 'stall-39', 'under_score']);
  });

  test('merchants with an open coupon come first on all pages, also when a sale ends or opens meanwhile', async () => {
    const { db } = database;
    const open = ['stall-39', 'stall-05', 'under_score'];
    await db.insert(coupons).values([
      ...open.map((id) => claim(`sale-of-${id}`, id)),
      {
        ...claim('sold-out', 'stall-07'),
        kind: 'seckill',
        stock: 1,
        soldOutAt: new Date(Date.now() - 1_000),
      },
      claim('ended', 'stall-08', { endedAgoMs: 1_000 }),
      claim('upcoming', 'stall-09', { endedAgoMs: -31 * DAY }),
    ]);
    const first = await call().list({});
    expect(idsOf(first).slice(0, 6)).toEqual([
      'noodles',
      'stall-05',
      'stall-39',
      'under_score',
      'percent',
      'stall-00',
    ]);
    expect(first.merchants[0], 'the sort key is not part of the answer').not.toHaveProperty('isOpen');

    await db.update(coupons).set({ endsAt: new Date() }).where(eq(coupons.id, 'sale-of-stall-39'));
    await db.insert(coupons).values({ ...claim('new', 'stall-38'), startsAt: new Date() });
    const second = await call().list({ cursor: first.nextCursor });
    const third = await call().list({ cursor: second.nextCursor });
    const ids = [first, second, third].flatMap(idsOf);
    expect(ids.slice(4), 'the others follow by id').toEqual(ids.slice(4).toSorted());
    expect(new Set(ids).size, 'each merchant once').toBe(43);
    expect(ids).toHaveLength(43);
    expect(idsOf(await call().list({})).slice(0, 4)).toEqual([
      'noodles',
      'stall-05',
      'stall-38',
      'under_score',
    ]);

    await db
      .delete(coupons)
      .where(inArray(coupons.merchantId, [...open, 'stall-07', 'stall-08', 'stall-09', 'stall-38']));
  });

  test.each([
    ['CORNER', ['noodles']],
    ['面馆', ['noodles']],
    ['restaurant', ['noodles']],
    // An English plural finds the singular.
    ['restaurants', ['noodles']],
    ['  mill lane  ', ['noodles']],
    ['%', ['percent']],
    ['_', ['under_score']],
    ['\\', ['under_score']],
    ["'; drop table merchants; --", []],
    // The end of one field and the beginning of the next are not neighbours.
    ['noodles restaurant', []],
  ])('a search for %j finds %j in names, categories and addresses of both languages', async (q, found) => {
    expect(await search(q)).toEqual(found);
  });

  test('an empty search finds all merchants', async () => {
    expect(await search('  ')).toEqual(idsOf(await call().list()));
  });

  test.each([
    ['cursor', { cursor: 'nonsense' }],
    ['cursor', { cursor: encodeCursor([7]) }],
    ['cursor', { cursor: encodeCursor([7, 2, 'a']) }],
    ['cursor', { cursor: encodeCursor([7, 0, 'a\0']) }],
    ['q', { q: 'x'.repeat(65) }],
    ['q', { q: 'a\0' }],
  ])('400 for a bad %s: %j', async (field, input) => {
    await expect(call().list(input)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      cause: { issues: [expect.objectContaining({ path: expect.arrayContaining([field]) })] },
    });
  });

  test('a merchant answers in the language of the caller and counts the coupons that the shop shows', async () => {
    const { merchant: english, coupons: none } = await call('en').byId({ id: 'noodles' });
    expect(english).toEqual({
      id: 'noodles',
      name: 'Corner Noodles',
      category: 'Restaurant',
      address: '7 Mill Lane',
      about: 'All about Corner Noodles',
      couponCount: 2,
    });
    expect(none).toEqual([]);
    expect((await call('zh').byId({ id: 'noodles' })).merchant.name).toBe('街角面馆');
    expect((await call().byId({ id: 'percent' })).merchant.couponCount).toBe(0);
  });

  test('a merchant exists, an unknown id does not, and an answer holds for the next page', async () => {
    const queries = vi.fn();
    const runRead: typeof database.calls.runRead = (read) => {
      queries();
      return database.calls.runRead(read);
    };
    const merchantExists = createMerchantCheck({ calls: { ...database.calls, runRead } });
    expect(await merchantExists('noodles')).toBe(true);
    expect(await merchantExists('nobody')).toBe(false);
    expect(await merchantExists('nobody')).toBe(false);
    expect(queries).toHaveBeenCalledTimes(2);
  });

  test('an id that cannot be one does not exist and costs no query', async () => {
    const runRead = () => Promise.reject(new Error('a query'));
    const merchantExists = createMerchantCheck({ calls: { ...database.calls, runRead } });
    for (const id of ['a\0', '', 'x'.repeat(65)]) expect(await merchantExists(id)).toBe(false);
  });

  test('while the queue is full every merchant exists, and the next call queries again', async () => {
    let isFull = true;
    const runRead: typeof database.calls.runRead = (read) =>
      isFull ? Promise.reject(new QueueFullError()) : database.calls.runRead(read);
    const merchantExists = createMerchantCheck({ calls: { ...database.calls, runRead } });
    expect(await merchantExists('nobody')).toBe(true);
    isFull = false;
    expect(await merchantExists('nobody')).toBe(false);
  });

  test('404 for an unknown merchant, 400 for an id that cannot be one', async () => {
    await expect(call().byId({ id: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(call().byId({ id: 'a\0' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
