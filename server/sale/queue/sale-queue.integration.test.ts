import { randomUUID } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { clientOf, openCoupon, startTestNode, type TestNode } from '../../../test/node';
import { connectTestRedis } from '../../../test/redis';
import { repeatUnavailable } from '../../../test/repeat-unavailable';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { resolvePolicy } from '../../limiter/index';
import { policies } from '../../policies';
import type { SeckillOutcome } from '../coupons/router';
import type { SaleTicket } from '../ticket';

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

const seckill = resolvePolicy(policies.seckill, policies.seckill.name);
const admin = { id: 'root', name: 'root', role: 'admin' as const };
const setWindow = (change: { limit?: number; windowMs?: number; mode?: 'enforce' | 'shadow' | 'off' }) =>
  clientOf(node, admin).limit.update.mutate({
    policy: 'coupon.seckill',
    level: 'global',
    ...change,
    why: 'test',
  });

/** Opens a coupon, and waits until this node knows it. */
async function openSale(stock = 50): Promise<string> {
  const couponId = await openCoupon({ db: database.db, sale: node.sale }, { stock });
  await waitUntil(() => node.sale.couldBuy({ couponId, userId: 'first' }));
  return couponId;
}

/** Opens a coupon behind a window of one place. Its first shopper has the place. */
async function openBusySale({ stock = 50 }: { stock?: number } = {}): Promise<string> {
  await setWindow({ limit: 1, windowMs: 60_000, mode: 'enforce' });
  const couponId = await openSale(stock);
  const { outcome } = await clientOf(node, 'first').coupon.seckill.mutate({ couponId });
  expect(outcome).toBe('accepted');
  return couponId;
}

const call = (userId: string, couponId: string, requestId: string = randomUUID()): Promise<SeckillOutcome> =>
  clientOf(node, userId).coupon.seckill.mutate({ couponId, requestId, queue: true });

async function join(userId: string, couponId: string, requestId?: string): Promise<SaleTicket> {
  const answer = await call(userId, couponId, requestId);
  if (answer.outcome !== 'queued') throw new Error(`the sale answered ${answer.outcome}`);
  return answer.ticket;
}

const mine = async (userId: string, ticketIds?: string[]) =>
  (await clientOf(node, userId).queue.mine.query({ ticketIds })).tickets;

/** Waits until the only ticket of a shopper has ended. */
async function endOf(userId: string): Promise<SaleTicket> {
  return waitUntil(
    async () => {
      const [ticket] = await mine(userId);
      return ticket && ticket.state !== 'waiting' && (ticket.state === 'void' || ticket.outcome) && ticket;
    },
    { interval: 200 },
  ) as Promise<SaleTicket>;
}

/** Sends a call for each item, fifty at once, so that each is answered within the time limit of the store. */
async function inChunks<Item>(items: readonly Item[], call: (item: Item) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += 50)
    await Promise.all(items.slice(from, from + 50).map((item) => repeatUnavailable(() => call(item))));
}

async function statusOf(promise: Promise<unknown>): Promise<number> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TRPCClientError) return error.data?.httpStatus;
  throw error ?? new Error('the call succeeded');
}

test('a call that finds the window full waits, and buys at its turn under its request id', async () => {
  const couponId = await openBusySale();
  const requestId = randomUUID();
  const ticket = await join('ada', couponId, requestId);
  expect(ticket).toMatchObject({ state: 'waiting', couponId, requestId, position: 1, ahead: 0 });
  const bob = await join('bob', couponId);
  expect(bob).toMatchObject({ position: 2, ahead: 1 });

  await setWindow({ windowMs: 1_500 });
  const served = await endOf('ada');
  const order = expect.objectContaining({ couponId, userId: 'ada' });
  expect(served).toMatchObject({ state: 'served', outcome: { outcome: 'accepted', order } });
  expect(await endOf('bob')).toMatchObject({ state: 'served' });
  const { orders } = await clientOf(node, 'ada').order.list.query({});
  expect(orders).toHaveLength(1);
  // The same call again finds its order.
  expect(await call('ada', couponId, requestId)).toMatchObject({ outcome: 'accepted', order });
});

test('one ticket per shopper and coupon; a call without queue is refused while others wait', async () => {
  const couponId = await openBusySale();
  const requestId = randomUUID();
  const ticket = await join('ada', couponId, requestId);
  expect(await join('ada', couponId, requestId)).toMatchObject({ ticketId: ticket.ticketId });
  expect(await join('ada', couponId)).toMatchObject({ ticketId: ticket.ticketId, requestId });
  expect(await mine('ada')).toEqual([expect.objectContaining({ ticketId: ticket.ticketId })]);
  expect(await statusOf(clientOf(node, 'bob').coupon.seckill.mutate({ couponId }))).toBe(429);
  const { windows } = await clientOf(node, 'ada').limit.mine.query({ policy: 'coupon.seckill' });
  // The first call and the one with another request id.
  expect(windows.find(({ level }) => level === 'user')).toMatchObject({ used: 2 });
});

test('a third join of a shopper is a 409 that charges `user`; so is a request id of another coupon, without a charge', async () => {
  const coupons = [await openBusySale(), await openSale(), await openSale()] as const;
  const requestId = randomUUID();
  await join('ada', coupons[0], requestId);
  expect(await statusOf(call('ada', coupons[1], requestId))).toBe(409);
  const { ticketId } = await join('ada', coupons[1]);
  expect(await statusOf(call('ada', coupons[2]))).toBe(409);
  const { windows } = await clientOf(node, 'ada').limit.mine.query({ policy: 'coupon.seckill' });
  expect(windows.find(({ level }) => level === 'user')).toMatchObject({ used: 3 });
  expect(await mine('ada')).toHaveLength(2);

  await clientOf(node, 'ada').queue.leave.mutate({ ticketId });
  expect(await join('ada', coupons[2])).toMatchObject({ state: 'waiting' });
});

test('while more than half of the places are taken, an address with 500 tickets gets no further one', async () => {
  const couponId = await openBusySale();
  // A queue of one place a minute would refuse the eleventh ticket for its wait.
  await setWindow({ limit: 500, windowMs: 60_000 });
  const direct = Array.from({ length: 499 }, (_, index) => `direct ${index}`);
  await inChunks(direct, (user) => node.limiter.decide(seckill, { subjects: { user }, requestId: user }));
  const queue = node.limiter.queue(seckill);
  const joinFrom = (ip: string, count: number) =>
    inChunks(
      Array.from({ length: count }, (_, index) => ({ userId: `${ip} ${index}`, requestId: randomUUID() })),
      ({ userId, requestId }) =>
        queue.join({
          subjects: { user: userId },
          group: couponId,
          requestId,
          payload: JSON.stringify({ userId, requestId }),
          context: { ip },
        }),
    );
  await joinFrom('127.0.0.1', 500);
  for (let other = 1; other <= 4; other += 1) await joinFrom(`192.0.2.${other}`, 500);
  expect(await join('ada', couponId), 'half of 5,000 is taken').toMatchObject({ position: 2_501 });

  const error = await call('bob', couponId).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ data: { httpStatus: 429, rateLimit: { level: 'global' } } });
  await joinFrom('192.0.2.5', 1);
  expect((await queue.state()).waiting).toBe(2_502);
});

test('a call waits, too, if its node wrongly believes that the shopper cannot buy', async () => {
  const couponId = await openBusySale();
  const settings = { REDIS_URL: redis.url, DATABASE_URL: database.url };
  const late = await startTestNode(settings, { conditions: { couldBuy: () => false } });
  onTestFinished(() => late.stop());
  const ada = clientOf(late, 'ada');
  const input = { couponId, requestId: randomUUID(), queue: true };
  const usedOf = async (level: string) => {
    const { windows } = await late.limiter.peek(seckill, { user: 'ada' }, { levels: [level] });
    return windows[0]?.used;
  };

  const joined = await ada.coupon.seckill.mutate(input);
  expect(joined).toMatchObject({ outcome: 'queued', ticket: { state: 'waiting', position: 1 } });
  expect(await ada.coupon.seckill.mutate(input), 'the same ticket').toEqual(joined);
  expect(await usedOf('user'), 'the repeated call charges nothing').toBe(1);
  expect(await usedOf('global')).toBe(1);
  const first = clientOf(late, 'first').coupon.seckill.mutate({ ...input, requestId: randomUUID() });
  expect(await first, 'a shopper who has it').toMatchObject({ outcome: 'already-bought' });

  await setWindow({ limit: 2, windowMs: 60_000 });
  expect(await endOf('ada')).toMatchObject({ state: 'served', outcome: { outcome: 'accepted' } });
  expect(await usedOf('global')).toBe(2);
});

test('queue without a request id is a 400, and anonymous callers have no tickets', async () => {
  const couponId = await openBusySale();
  const { coupon, queue } = clientOf(node, 'ada');
  expect(await statusOf(coupon.seckill.mutate({ couponId, queue: true }))).toBe(400);
  expect(await statusOf(clientOf(node).queue.mine.query())).toBe(401);
  expect(await statusOf(queue.mine.query({ ticketIds: Array(21).fill('x') }))).toBe(400);
  expect(await mine('ada', ['unknown'])).toEqual([
    expect.objectContaining({ ticketId: 'unknown', state: 'void', reason: 'lost' }),
  ]);
});

test('a shopper leaves once, and others cannot end the ticket', async () => {
  const couponId = await openBusySale();
  const { ticketId } = await join('ada', couponId);
  await join('bob', couponId);
  expect(await statusOf(clientOf(node, 'eve').queue.leave.mutate({ ticketId }))).toBe(409);
  expect(await clientOf(node, 'ada').queue.leave.mutate({ ticketId })).toEqual({});
  expect(await statusOf(clientOf(node, 'ada').queue.leave.mutate({ ticketId }))).toBe(409);
  expect(await mine('ada')).toEqual([expect.objectContaining({ state: 'void', reason: 'left' })]);
  expect(await mine('bob')).toEqual([expect.objectContaining({ position: 1, ahead: 0 })]);
});

test.each(['shadow', 'off'] as const)(
  'in mode %s waiting shoppers buy once, others do not wait, and later ones wait again',
  async (mode) => {
    const couponId = await openBusySale();
    const requestId = randomUUID();
    await join('ada', couponId, requestId);
    await join('bob', couponId);
    await join('dan', couponId);
    await setWindow({ windowMs: 1_500 });
    // The pace of the queue changes with its next round, and stays in the other modes.
    expect(await endOf('ada')).toMatchObject({ state: 'served' });
    await setWindow({ mode });
    expect(await call('cem', couponId)).toMatchObject({ outcome: 'accepted' });
    for (const user of ['ada', 'bob', 'dan']) {
      expect(await endOf(user)).toMatchObject({ state: 'served', outcome: { outcome: 'accepted' } });
    }
    expect(await call('ada', couponId, requestId)).toMatchObject({ outcome: 'accepted' });

    await setWindow({ mode: 'enforce', windowMs: 60_000 });
    expect(await join('eve', couponId)).toMatchObject({ position: 1 });
    expect(await node.sale.readStock([couponId]), 'five of 50 are sold').toEqual([
      { couponId, remaining: 45 },
    ]);
  },
);

test('the last coupon ends all tickets as sold out, at once', async () => {
  const couponId = await openBusySale({ stock: 2 });
  await join('ada', couponId);
  await join('bob', couponId);
  await join('cem', couponId);
  await setWindow({ windowMs: 1_500 });
  expect(await endOf('ada')).toMatchObject({ state: 'served', outcome: { outcome: 'accepted' } });
  expect(await endOf('bob')).toMatchObject({ state: 'void', reason: 'sold-out' });
  expect(await endOf('cem')).toMatchObject({ state: 'void', reason: 'sold-out' });
});

test('a closed coupon and a banned shopper end their tickets', async () => {
  const couponId = await openBusySale();
  await join('mal', couponId);
  await join('bob', couponId);
  await clientOf(node, admin).limit.person.set.mutate({
    ...{ policy: 'coupon.seckill', level: 'user', subject: 'mal', why: 'test' },
    rule: { kind: 'deny', until: Date.now() + 60_000 },
  });
  expect(await mine('mal')).toEqual([expect.objectContaining({ state: 'void', reason: 'banned' })]);
  await clientOf(node, admin).coupon.close.mutate({ id: couponId });
  expect(await mine('bob')).toEqual([expect.objectContaining({ state: 'void', reason: 'closed' })]);
});

test('an emptied Redis loses the tickets, and shoppers may join again', async () => {
  const couponId = await openBusySale();
  const { ticketId } = await join('ada', couponId);
  const client = await connectTestRedis(redis.url);
  await client.flushall();
  client.disconnect();
  expect(await mine('ada', [ticketId])).toEqual([expect.objectContaining({ state: 'void', reason: 'lost' })]);
});

test('the live state has the queue', async () => {
  const couponId = await openBusySale();
  const ticket = await join('ada', couponId);
  const { queues } = await node.readLive();
  expect(queues).toEqual([
    {
      ...{ policy: 'coupon.seckill', level: 'global', waiting: 1, version: expect.any(Number) },
      nextTurnAt: ticket.state === 'waiting' && ticket.turnAt,
      lastTurnAt: ticket.state === 'waiting' && ticket.turnAt,
    },
  ]);
});
