import { randomUUID } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { buyConfirmed, clientOf, startTestNode, type TestNode } from '../../../test/node';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());
beforeEach(async () => {
  redis = await startEmptyRedis();
  node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' });
});
afterEach(async () => {
  await node.stop();
  await redis.stop();
});

const as = (id: string | undefined) => clientOf(node, id);

const boughtBy = (userId: string, values?: Parameters<typeof insertCoupon>[1]) =>
  buyConfirmed(node, { db: database.db, userId, ...(values && { values }) });

/** The HTTP status of a call that must fail. */
async function statusOf(call: Promise<unknown>): Promise<number> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TRPCClientError) return error.data?.httpStatus;
  throw error ?? new Error('the call succeeded');
}

test('order.pay and order.cancel: 401 for anonymous callers, 404 for orders of others and unknown orders', async () => {
  const { id } = await boughtBy('ada');
  for (const verb of ['pay', 'cancel'] as const) {
    expect(await statusOf(as(undefined).order[verb].mutate({ id }))).toBe(401);
    expect(await statusOf(as('eve').order[verb].mutate({ id }))).toBe(404);
    expect(await statusOf(as('ada').order[verb].mutate({ id: 'nothing' }))).toBe(404);
    expect(await statusOf(as('ada').order[verb].mutate({ id, requestId: 'no uuid' }))).toBe(400);
  }
  expect((await as('ada').order.byId.query({ id })).order.status).toBe('confirmed');
});

test('order.pay returns the order as paid, also to a replay, and 409 to another call', async () => {
  const { id } = await boughtBy('ada');
  const requestId = randomUUID();
  const paid = await as('ada').order.pay.mutate({ id, requestId });
  expect(paid.order).toMatchObject({ id, status: 'paid', code: expect.any(String) });
  expect(await as('ada').order.pay.mutate({ id, requestId })).toEqual(paid);
  expect(await statusOf(as('ada').order.pay.mutate({ id }))).toBe(409);
  expect(await statusOf(as('ada').order.pay.mutate({ id, requestId, card: 'declines' }))).toBe(409);
  expect(await statusOf(as('ada').order.cancel.mutate({ id }))).toBe(409);
});

test('order.cancel returns the order as cancelled, also to a replay; its request id cannot pay or cancel another order', async () => {
  const { id } = await boughtBy('ada');
  const other = await boughtBy('ada');
  const requestId = randomUUID();
  const cancelled = await as('ada').order.cancel.mutate({ id, requestId });
  expect(cancelled.order.status).toBe('cancelled');
  expect(cancelled.order.code).toBeUndefined();
  expect(await as('ada').order.cancel.mutate({ id, requestId })).toEqual(cancelled);
  expect(await as('ada').order.cancel.mutate({ id, requestId: requestId.toUpperCase() })).toEqual(cancelled);
  expect(await statusOf(as('ada').order.cancel.mutate({ id: other.id, requestId }))).toBe(409);
  const paid = await as('ada').order.pay.mutate({ id: other.id, requestId });
  expect(paid.order.status, 'an id of another procedure is another id').toBe('paid');
});

test('an order is paid by one call at a time; a call during it is refused and charges nothing', async () => {
  const { id } = await boughtBy('ada');
  const used = async (policy: string) =>
    (await as('ada').limit.mine.query({ policy, input: { id } })).windows[0]?.used;
  const paying = as('ada').order.pay.mutate({ id, card: 'times-out' });
  await waitUntil(async () => (await used('order.pay')) === 1);
  const charged = await used('order.change');
  await expect(as('ada').order.pay.mutate({ id })).rejects.toMatchObject({
    message: 'A payment of this order is in progress. Wait for its result.',
    data: { rateLimit: { policy: 'order.pay', level: 'order', algorithm: 'in-flight', limit: 1 } },
  });
  expect(await used('order.change')).toBe(charged);
  expect(await statusOf(as('eve').order.pay.mutate({ id })), 'no lease of another shopper').toBe(404);
  await paying;
  await waitUntil(async () => (await used('order.pay')) === 0);
  await waitUntil(async () => (await as('ada').order.byId.query({ id })).order.status === 'paid', {
    interval: 100,
  });
});

test('a payment without an order is charged, and answers 400', async () => {
  for (let call = 0; call < 6; call += 1)
    expect(await statusOf(as('zoe').order.pay.mutate(Object.create(null)))).toBe(400);
  expect(await statusOf(as('zoe').order.pay.mutate(Object.create(null)))).toBe(429);
});

test('the cards of the demo: one declines, one replies twice, and each leaves at most one payment', async () => {
  const { id } = await boughtBy('ada');
  const pay = async (card: 'declines' | 'answers-twice') =>
    (await as('ada').order.pay.mutate({ id, card })).order;
  expect(await pay('declines')).toMatchObject({ status: 'confirmed', payment: 'declined' });
  expect(await pay('answers-twice')).toMatchObject({ status: 'paid', payment: 'approved' });
  expect(await node.sale.refunds.listDue()).toEqual([]);
});

test('each order is counted once for each status that it reaches', async () => {
  const [paid, cancelled, expired] = [
    await boughtBy('ada'),
    await boughtBy('ada'),
    await boughtBy('ada', { holdMs: 1_000 }),
  ];
  const requestId = randomUUID();
  for (let n = 0; n < 2; n++) {
    await as('ada').order.pay.mutate({ id: paid.id, requestId });
    await as('ada').order.cancel.mutate({ id: cancelled.id, requestId });
  }
  const { id } = expired;
  await waitUntil(async () => (await as('ada').order.byId.query({ id })).order.status === 'expired');
  // An order is counted after its status is written.
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    const counted = [...metrics.matchAll(/^floodgate_orders_total\{status="(\w+)"\} (\d+)$/gm)];
    expect(Object.fromEntries(counted.map(([, status, count]) => [status, Number(count)]))).toEqual({
      confirmed: 3,
      paid: 1,
      cancelled: 1,
      expired: 1,
    });
  });
});

test('the demo card without a reply: the payment is pending within a few seconds and settles without another call', async () => {
  const { id } = await boughtBy('ada');
  const { order } = await as('ada').order.pay.mutate({ id, card: 'times-out' });
  expect(order).toMatchObject({ status: 'confirmed', payment: 'pending' });
  await waitUntil(async () => (await as('ada').order.byId.query({ id })).order.status === 'paid', {
    interval: 100,
  });
});

test('without a payment provider, order.pay answers 503 and order.cancel cancels', async () => {
  const { id } = await boughtBy('ada');
  const other = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url });
  const client = clientOf(other, 'ada');
  expect(await statusOf(client.order.pay.mutate({ id }))).toBe(503);
  expect((await client.order.cancel.mutate({ id })).order.status).toBe('cancelled');
  await other.stop();
});
