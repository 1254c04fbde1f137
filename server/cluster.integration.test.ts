import { TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { insertCoupon } from '../test/coupons';
import { freshDatabase, type TestDatabase } from '../test/database';
import { lockCoupon } from '../test/ledger-lock';
import { clientOf, openCoupon, startTestNode, type TestNode, widenGlobalWindow } from '../test/node';
import { connectTestRedis } from '../test/redis';
import { repeatUnavailable } from '../test/repeat-unavailable';
import { startTestSale } from '../test/sale';
import { type RedisCluster, startRedisCluster } from '../test/services/redis-cluster';
import { postgresUrl } from '../test/services/worker-services';
import { waitUntil } from '../test/wait-until';
import { saleKeys } from './redis/keys';
import { subscribeChannel } from './redis/subscribe-channel';
import { publishSettled, subscribeSettled } from './sale/ledger/settled-orders';
import type { Order } from './sale/order';
import type { PurchaseOutcome } from './sale/purchase';
import type { Sale } from './sale/sale';

let cluster: RedisCluster;
let database: TestDatabase;
let nodes: [TestNode, TestNode];

beforeAll(async () => {
  [cluster, database] = await Promise.all([startRedisCluster(), freshDatabase(await postgresUrl())]);
  const env = { REDIS_URL: cluster.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' };
  nodes = [await startTestNode(env), await startTestNode(env)];
});
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.stop()));
  await database?.drop();
  await cluster?.stop();
});

const confirmedOf = (couponId: string) =>
  database.db.query.orders.findMany({
    where: (row, { and, eq }) => and(eq(row.couponId, couponId), eq(row.status, 'confirmed')),
  });

test('two nodes on one cluster: 100 of 150 shoppers are admitted, and each buys one piece', async () => {
  await widenGlobalWindow(nodes);
  const couponId = await insertCoupon(database.db, { stock: 150 });
  for (const { sale } of nodes) await waitUntil(() => sale.couldBuy({ couponId, userId: 'anyone' }));
  const calls = Array.from({ length: 150 }, async (_, n) => {
    const { coupon } = clientOf(nodes[n % 2 === 0 ? 0 : 1], `shopper-${n}`);
    const input = { couponId, requestId: crypto.randomUUID() };
    try {
      return (await repeatUnavailable(() => coupon.seckill.mutate(input))).outcome;
    } catch (error) {
      if (error instanceof TRPCClientError) return String(error.data?.code ?? error.message);
      throw error;
    }
  });
  expect(countOf(await Promise.all(calls))).toEqual({ accepted: 100, TOO_MANY_REQUESTS: 50 });
  await waitUntil(async () => (await confirmedOf(couponId)).length === 100);
  expect(new Set((await confirmedOf(couponId)).map(({ userId }) => userId)).size).toBe(100);

  // Each node returns the same live state, with the rates of both.
  await waitUntil(async () => {
    const { rates, windows, stock } = await nodes[1].readLive();
    const total = rates.find(({ policy, level }) => policy === 'coupon.seckill' && level === 'global');
    const window = windows.find(({ policy }) => policy === 'coupon.seckill');
    const left = stock.find((row) => row.couponId === couponId)?.remaining;
    return total?.admitted === 100 && total.refused === 50 && window?.used === 100 && left === 50;
  });
  expect((await nodes[0].readiness()).dependencies).toMatchObject({ redis: { ok: true } });
});

test('operators see the state of both nodes on either one, and the preview of another limit', async () => {
  const state = await waitUntil(
    async () => {
      const read = await nodes[1].readOps();
      const refused = read.history.flatMap(({ levels }) => levels).reduce((all, one) => all + one.refused, 0);
      return refused === 50 && read.windows.some(({ subject }) => subject) && read;
    },
    { interval: 100 },
  );
  expect(state).toMatchObject({ stale: false, nodes: [{ failing: [] }, { failing: [] }] });

  const admin = { id: 'the-admin', name: 'Ada', role: 'admin' as const };
  const { ops } = clientOf(nodes[0], admin);
  const answer = await waitUntil(
    async () => {
      const found = await ops.whatIf.mutate({ policy: 'coupon.seckill', level: 'global', limit: 40 });
      return found.arrivals === 150 && found;
    },
    { interval: 200 },
  );
  expect(answer).toMatchObject({
    ...{ recorded: { admitted: 100, refused: 50 }, before: { admitted: 100, refused: 50 } },
    after: { admitted: 40, refused: 110 },
  });
  expect((await ops.subjects.query()).subjects).toHaveLength(50);
});

test('a claim is repeated under its request id, and shown among the orders, on either node', async () => {
  const couponId = await openCoupon(
    { db: database.db, sale: nodes[0].sale },
    { kind: 'claim', stock: null, priceCents: 0 },
  );
  const requestId = crypto.randomUUID();
  const first = await clientOf(nodes[0], 'ada').coupon.claim.mutate({ couponId, requestId });
  const again = await clientOf(nodes[1], 'ada').coupon.claim.mutate({ couponId, requestId });
  const { orders } = await clientOf(nodes[1], 'ada').order.list.query({});
  expect(orders).toHaveLength(1);
  const answer = { outcome: 'accepted', order: { id: orders[0]?.id } };
  expect([first, again]).toMatchObject([answer, answer]);
});

test('a code that one node sent can be read on the other', async () => {
  await clientOf(nodes[0]).auth.sendCode.mutate({ email: 'ada@example.com' });
  expect(await nodes[1].mailbox?.read()).toMatchObject([{ to: 'ada@example.com' }]);
});

test('a master that is killed in the middle of a sale: 50 confirmed orders, one each, without a restart', async () => {
  const couponId = await insertCoupon(database.db);
  const sale = await startTestSale({ db: database.db, redisUrl: cluster.url, nodeName: 'seller' });
  onTestFinished(() => sale.stop());
  await waitUntil(() => sale.ensureGate(couponId));
  const slot = Number(await cluster.nodes[0]?.client.cluster('KEYSLOT', saleKeys(couponId).gate));
  const victim = await cluster.masterOf(slot);

  const first = await Promise.all(
    Array.from({ length: 20 }, (_, n) => buyWithRetries(sale, couponId, `early-${n}`)),
  );
  const rest = Array.from({ length: 80 }, (_, n) => buyWithRetries(sale, couponId, `shopper-${n}`));
  await victim.kill();
  await Promise.all(rest);
  // Orders that the replica had not received were at most reserved for their shopper, and are on sale again.
  for (let late = 0; (await buyWithRetries(sale, couponId, `late-${late}`)).outcome !== 'sold-out'; late++);

  await waitUntil(async () => (await confirmedOf(couponId)).length === 50);
  const confirmed = await confirmedOf(couponId);
  expect(new Set(confirmed.map(({ userId }) => userId)).size).toBe(50);
  const inLedger = new Set(confirmed.map(({ id }) => id));
  for (const outcome of first) {
    if ('order' in outcome && outcome.order.status === 'confirmed')
      expect(inLedger).toContain(outcome.order.id);
  }
  await victim.start();
  await cluster.waitUntilSettled();
});

test('a master that is lost with its replica: other coupons get their gates, and their orders are written', async () => {
  const sale = await startTestSale({ db: database.db, redisUrl: cluster.url, nodeName: 'survivor' });
  const admin = await connectTestRedis(cluster.url);
  onTestFinished(async () => {
    admin.disconnect();
    await sale.stop();
  });
  const [lost, other] = [await couponOn(cluster, 0), await couponOn(cluster, 16_383)];
  await buyWithRetries(sale, lost, 'ada');
  await waitUntil(async () => (await confirmedOf(lost)).length === 1);

  const master = await cluster.masterOf(0);
  const gone = [master, ...(await cluster.replicasOf(master))];
  await Promise.all(gone.map((node) => node.kill()));
  // Without a call, the periodic checks find the missing gate and the order that a dead node left.
  const { gate, outbox } = saleKeys(other);
  await admin.del(gate, outbox);
  await waitUntil(async () => (await admin.exists(gate)) === 1);
  const generation = (await admin.hget(gate, 'generation')) ?? '';
  const entry = {
    generation,
    order: crypto.randomUUID(),
    shopper: 'bob',
    code: 'CODE',
    request: '',
    at: '1',
  };
  await admin.xadd(outbox, '*', ...Object.entries(entry).flat());
  await waitUntil(async () => (await confirmedOf(other)).length === 1);
  await expect(
    sale.purchase({ kind: 'seckill', couponId: lost, userId: 'bob', deadline: performance.now() + 280 }),
  ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });

  // The nodes restart empty. The ledger has the remaining stock.
  for (const node of gone) await node.start();
  await cluster.waitUntilSettled();
  expect(await buyWithRetries(sale, lost, 'ada')).toMatchObject({ outcome: 'already-bought' });
});

test('a master that freezes while orders of its coupon are written holds up the orders of no other', async () => {
  const sale = await startTestSale({ db: database.db, redisUrl: cluster.url, nodeName: 'patient' });
  onTestFinished(() => sale.stop());
  const [frozen, other] = [await couponOn(cluster, 0), await couponOn(cluster, 16_383)];
  for (const couponId of [frozen, other]) await waitUntil(() => sale.ensureGate(couponId));
  const master = await cluster.masterOf(0);
  const silent = [master, ...(await cluster.replicasOf(master))];
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const node of silent) process.kill(node.pid(), name);
  };

  const lock = await lockCoupon(database.url, frozen);
  await buyWithRetries(sale, frozen, 'ada');
  signal('SIGSTOP');
  onTestFinished(() => signal('SIGCONT'));
  await lock.release();
  await waitUntil(async () => (await confirmedOf(frozen)).length === 1);
  // By now the order of the frozen coupon waits to be acknowledged.
  await sale.purchase({
    kind: 'seckill',
    couponId: other,
    userId: 'bob',
    deadline: performance.now() + 280,
  });
  await waitUntil(async () => (await confirmedOf(other)).length === 1);

  signal('SIGCONT');
  await cluster.waitUntilSettled();
});

/** A publisher and a subscriber, each on its own connection. */
async function pubSubClients() {
  const [publisher, subscriber] = await Promise.all([
    connectTestRedis(cluster.url),
    connectTestRedis(cluster.url),
  ]);
  onTestFinished(() => {
    for (const client of [publisher, subscriber]) client.disconnect();
  });
  return { publisher, subscriber };
}

test('concurrent subscriptions over one connection all receive messages', async () => {
  const { publisher, subscriber } = await pubSubClients();
  const received: string[] = [];
  const subscribe = (channel: string) =>
    subscribeChannel(subscriber, {
      channel,
      onMessage: () => received.push(channel),
      onLost: () => undefined,
    });
  await Promise.all([subscribe('test:one'), subscribe('test:other')]);
  await Promise.all(['test:one', 'test:other'].map((channel) => publisher.publish(channel, 'message')));
  await waitUntil(() => received.length === 2);
  expect(received.sort()).toEqual(['test:one', 'test:other']);
});

test('settled orders are received again after the node of the subscription has died', async () => {
  const { publisher, subscriber } = await pubSubClients();
  const received: string[] = [];
  await subscribeSettled(subscriber, {
    onSettledMessage: ({ orders }) => received.push(...orders.map(({ id }) => id)),
    log: { warn: () => undefined },
  });
  const publishOrder = async (id: string) => {
    const order: Order = { id, couponId: 'coupon', userId: 'ada', status: 'confirmed', createdAt: 0 };
    await publishSettled(publisher, [order]).catch(() => undefined);
    return received.includes(id);
  };
  await waitUntil(() => publishOrder('before'));

  const carriers = await Promise.all(
    cluster.nodes.map(async (node) => ({
      node,
      subscribers: Number(((await node.client.pubsub('NUMSUB', 'floodgate:settled')) as unknown[])[1]),
    })),
  );
  const others = nodes.length;
  expect(carriers.reduce((sum, { subscribers }) => sum + subscribers, 0)).toBe(others + 1);
  // Whichever of the three it is: all nodes that carry a subscription die, one after the other.
  for (const { node } of carriers.filter(({ subscribers }) => subscribers > 0)) {
    await node.kill();
    await waitUntil(() => publishOrder(`after ${node.port}`));
    await node.start();
    await cluster.waitUntilSettled();
  }
});

/** A coupon on sale whose keys lie on the master of this slot. */
async function couponOn({ masterOf, nodes: [witness] }: RedisCluster, slot: number): Promise<string> {
  for (;;) {
    const id = `coupon-${crypto.randomUUID()}`;
    const own = Number(await witness?.client.cluster('KEYSLOT', saleKeys(id).gate));
    if ((await masterOf(own)) === (await masterOf(slot))) return insertCoupon(database.db, { id });
  }
}

/** Calls again, as a shopper does, while the answer is that the sale is paused or cannot be reached. */
function buyWithRetries(sale: Sale, couponId: string, userId: string): Promise<PurchaseOutcome> {
  return waitUntil(async () => {
    const outcome = await repeatUnavailable(() =>
      sale.purchase({ kind: 'seckill', couponId, userId, deadline: performance.now() + 280 }),
    );
    return outcome.outcome === 'paused' ? undefined : outcome;
  });
}

function countOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
