import { createServer, type Server } from 'node:http';
import { TRPCError } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { eq, inArray } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { createTestContext } from '../../test/context';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { postgresUrl } from '../../test/services/worker-services';
import { users } from '../db/schema';
import { createCallerFactory, publicProcedure, router } from '../trpc/procedures';
import { createDemoRouter } from './router';
import { createSendCrowd } from './send-crowd';

interface Call {
  procedure: string;
  cookie: string | undefined;
  couponId: string;
  requestId: string;
  at: number;
}

let database: TestDatabase;
let server: Server | undefined;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A sale on loopback whose answers the test defines, by the number of the call. */
async function openSale(
  answer: (index: number) => string | TRPCError | Promise<never>,
  options: { answerTimeoutMs?: number } = {},
) {
  const calls: Call[] = [];
  let cookie: string | undefined;
  const buy = (procedure: string) =>
    publicProcedure
      .input(z.object({ couponId: z.string(), requestId: z.uuid() }))
      .mutation(async ({ input }) => {
        calls.push({ procedure, cookie, ...input, at: performance.now() });
        const answered = await answer(calls.length - 1);
        if (answered instanceof TRPCError) throw answered;
        return { outcome: answered };
      });
  const handler = createHTTPHandler({
    router: router({ coupon: router({ seckill: buy('coupon.seckill'), claim: buy('coupon.claim') }) }),
    basePath: '/api/trpc/',
    createContext: () => createTestContext(),
  });
  const listening = createServer((request, response) => {
    cookie = request.headers.cookie;
    handler(request, response);
  });
  server = listening;
  const port = await listenOnFreePort(listening);
  const sendCrowd = createSendCrowd({
    db: database.db,
    baseUrl: () => `http://127.0.0.1:${port}`,
    createCookieHeader: ({ id }) => `session=${id}`,
    ...options,
  });
  return { calls, sendCrowd };
}

const refusal = () => new TRPCError({ code: 'TOO_MANY_REQUESTS' });

describe('a crowd', () => {
  test('every shopper is a new demo user with its own session and request id, and calls once', async () => {
    const couponId = await insertCoupon(database.db);
    const { calls, sendCrowd } = await openSale(() => 'accepted');
    expect(await sendCrowd({ couponId, shoppers: 300, overMs: 0 })).toEqual({
      admitted: 300,
      refused: 0,
      outcomes: { accepted: 300 },
    });
    expect(new Set(calls.map(({ requestId }) => requestId)).size).toBe(300);
    expect(calls.every((call) => call.procedure === 'coupon.seckill' && call.couponId === couponId)).toBe(
      true,
    );
    const ids = calls.map(({ cookie }) => cookie?.replace('session=', '') ?? '');
    const shoppers = await database.db.select().from(users).where(inArray(users.id, ids));
    expect(shoppers).toHaveLength(300);
    expect(shoppers.every(({ isDemo, role }) => isDemo && role === 'shopper')).toBe(true);
  });

  test('admitted and refused count the decisions of the limits; failures count by their code', async () => {
    const couponId = await insertCoupon(database.db);
    const answers = [
      'accepted',
      'accepted',
      'sold-out',
      refusal(),
      refusal(),
      refusal(),
      new TRPCError({ code: 'SERVICE_UNAVAILABLE' }),
    ];
    const { sendCrowd } = await openSale((index) => answers[index] ?? 'too many calls');
    expect(await sendCrowd({ couponId, shoppers: 7, overMs: 0 })).toEqual({
      admitted: 3,
      refused: 3,
      outcomes: { accepted: 2, 'sold-out': 1, SERVICE_UNAVAILABLE: 1 },
    });
  });

  test('a crowd for a claim coupon calls coupon.claim', async () => {
    const couponId = await insertCoupon(database.db, { kind: 'claim', priceCents: 0 });
    const { calls, sendCrowd } = await openSale(() => 'accepted');
    await sendCrowd({ couponId, shoppers: 2, overMs: 0 });
    expect(calls.map(({ procedure }) => procedure)).toEqual(['coupon.claim', 'coupon.claim']);
  });

  test('ten shoppers over 500 ms call 50 ms apart', async () => {
    const couponId = await insertCoupon(database.db);
    const { calls, sendCrowd } = await openSale(() => 'accepted');
    const started = performance.now();
    await sendCrowd({ couponId, shoppers: 10, overMs: 500 });
    // The n-th may be late on a busy machine, but never early.
    calls.forEach(({ at }, index) => {
      expect(at - started).toBeGreaterThanOrEqual(index * 50 - 2);
    });
  });

  test('no shopper calls after the client has disconnected', async () => {
    const couponId = await insertCoupon(database.db);
    const gone = new AbortController();
    const { calls, sendCrowd } = await openSale((index) => {
      if (index === 2) gone.abort();
      return 'accepted';
    });
    const { admitted } = await sendCrowd({ couponId, shoppers: 10, overMs: 2_000, signal: gone.signal });
    expect(calls).toHaveLength(3);
    expect(admitted).toBe(2);
  });

  test('a call without an answer is counted after the timeout', async () => {
    const couponId = await insertCoupon(database.db);
    const never = new Promise<never>(() => undefined);
    const { sendCrowd } = await openSale((index) => (index < 2 ? 'accepted' : never), {
      answerTimeoutMs: 1_000,
    });
    expect(await sendCrowd({ couponId, shoppers: 5, overMs: 0 })).toEqual({
      admitted: 2,
      refused: 0,
      outcomes: { accepted: 2, UNANSWERED: 3 },
    });
  });

  test('a server that cannot be reached is an outcome, not an error', async () => {
    const couponId = await insertCoupon(database.db);
    const sendCrowd = createSendCrowd({
      db: database.db,
      baseUrl: () => 'http://127.0.0.1:9',
      createCookieHeader: () => 'session=x',
    });
    expect(await sendCrowd({ couponId, shoppers: 2, overMs: 0 })).toEqual({
      admitted: 0,
      refused: 0,
      outcomes: { UNANSWERED: 2 },
    });
  });
});

describe('demo.crowd', () => {
  async function call({ demo = true } = {}) {
    const { sendCrowd } = await openSale(() => 'accepted');
    return createCallerFactory(createDemoRouter({ demo, sendCrowd }))(createTestContext());
  }

  test('404 for an unknown coupon, and no shopper is created', async () => {
    const countShoppers = () => database.db.$count(users, eq(users.isDemo, true));
    const before = await countShoppers();
    const unknown = (await call()).crowd({ couponId: 'nothing', shoppers: 3, overMs: 0 });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await countShoppers()).toBe(before);
  });

  test.each([
    ['shoppers', { shoppers: 0, overMs: 0 }],
    ['shoppers', { shoppers: 301, overMs: 0 }],
    ['shoppers', { shoppers: 1.5, overMs: 0 }],
    ['overMs', { shoppers: 1, overMs: -1 }],
    ['overMs', { shoppers: 1, overMs: 10_001 }],
  ])('400 that names %s for %j', async (field, input) => {
    await expect((await call()).crowd({ couponId: 'any', ...input })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      cause: { issues: [expect.objectContaining({ path: [field] })] },
    });
  });

  test('outside demo mode the procedure does not exist', async () => {
    const couponId = await insertCoupon(database.db);
    const withoutDemo = (await call({ demo: false })).crowd({ couponId, shoppers: 1, overMs: 0 });
    await expect(withoutDemo).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
