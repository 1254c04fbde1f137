import { randomUUID } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { clientOf, openCoupon, startTestNode, type TestNode } from '../../test/node';
import { connectTestRedis } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { User } from '../trpc/context';

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
  await clientOf(here, admin).limit.reset.mutate(shared);
  await Promise.all([here.stop(), there.stop()]);
  await redis.stop();
});

const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };
const shared = { policy: 'coupon.seckill', level: 'global' };

/** Opens a coupon behind a window of one place, which its first shopper has. */
async function openFullSale(): Promise<string> {
  await clientOf(here, admin).limit.update.mutate({ ...shared, limit: 1, windowMs: 60_000 });
  const couponId = await openCoupon({ db: database.db, sale: here.sale });
  for (const { sale } of [here, there]) {
    await waitUntil(() => sale.couldBuy({ couponId, userId: 'first' }));
  }
  const { outcome } = await clientOf(here, 'first').coupon.seckill.mutate({ couponId });
  expect(outcome).toBe('accepted');
  return couponId;
}

const join = (node: TestNode, userId: string, couponId: string) =>
  clientOf(node, userId).coupon.seckill.mutate({ couponId, requestId: randomUUID(), queue: true });

/** Returns the code of the error of a call. Fails if the call succeeds. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TRPCClientError) return error.data?.code;
  throw error ?? new Error('the call succeeded');
}

test('an operator closes a queue on all nodes, and opens it; both are in the audit log', async () => {
  const couponId = await openFullSale();
  const waiting = await join(here, 'bob', couponId);
  expect(waiting).toMatchObject({ outcome: 'queued' });

  expect(await clientOf(here, admin).queue.close.mutate(shared)).toEqual({});
  await waitUntil(async () => (await readQueue(there))?.isClosed);
  expect(await codeOf(join(there, 'cem', couponId))).toBe('TOO_MANY_REQUESTS');
  const { tickets } = await clientOf(there, 'bob').queue.mine.query();
  expect(tickets).toMatchObject([{ state: 'waiting', position: 1 }]);
  expect(await readQueue()).toMatchObject({ ...shared, waiting: 1, isClosed: true });

  expect(await clientOf(there, admin).queue.open.mutate(shared)).toEqual({});
  await waitUntil(async () => (await readQueue(here))?.isClosed === false);
  expect(await join(here, 'cem', couponId)).toMatchObject({ outcome: 'queued', ticket: { position: 2 } });
  expect(await readQueue()).toMatchObject({ waiting: 2, isClosed: false });

  const { entries } = await clientOf(here, admin).ops.audit.query({});
  const target = 'coupon.seckill:global';
  expect(entries.filter(({ what }) => what.startsWith('queue.'))).toMatchObject([
    { what: 'queue.open', target, who: admin.id, before: { isClosed: true }, after: { isClosed: false } },
    { what: 'queue.close', target, who: admin.id, before: { isClosed: false }, after: { isClosed: true } },
  ]);
});

test('a queue stays closed when its limit is reset, and when Redis was emptied', async () => {
  await clientOf(here, admin).limit.update.mutate({ ...shared, limit: 7 });
  await clientOf(here, admin).queue.close.mutate(shared);
  await clientOf(here, admin).limit.reset.mutate(shared);
  const client = await connectTestRedis(redis.url);
  await client.flushall();
  client.disconnect();
  expect(await readQueue()).toMatchObject({ isClosed: true });
  await clientOf(here, admin).queue.open.mutate(shared);
  expect(await readQueue()).toMatchObject({ isClosed: false });
});

test('operators see how many tickets were served, and how many of them late', async () => {
  const couponId = await openFullSale();
  await join(here, 'bob', couponId);
  expect(await readQueue()).toMatchObject({ waiting: 1, served: 0, late: 0, longestLateMs: 0 });
  // A promise of a minute is kept early.
  await clientOf(here, admin).limit.update.mutate({ ...shared, limit: 5 });
  await waitUntil(async () => (await readQueue())?.served === 1);
  expect(await readQueue()).toMatchObject({ waiting: 0, late: 0, nextTurnAt: null, lastTurnAt: null });
});

test('only admins close and open, and only a level with a queue', async () => {
  for (const call of ['close', 'open'] as const) {
    expect(await codeOf(clientOf(here).queue[call].mutate(shared))).toBe('UNAUTHORIZED');
    expect(await codeOf(clientOf(here, 'eve').queue[call].mutate(shared))).toBe('FORBIDDEN');
    for (const level of ['user', 'none']) {
      const named = { ...shared, level };
      expect(await codeOf(clientOf(here, admin).queue[call].mutate(named))).toBe('NOT_FOUND');
    }
  }
});

/** Reads the queue of the sale as `/ops` shows it. */
async function readQueue(node = here) {
  const { queues } = await node.readOps();
  return queues.find(({ policy }) => policy === shared.policy);
}
