import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { expectConsistentSale } from '../../../test/expect-consistent-sale';
import { connectTestRedis, flushScripts } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startRedis } from '../../../test/services/redis';
import { startRedisProxy } from '../../../test/services/redis-proxy';
import { makeTempFolder } from '../../../test/services/temp-folder';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { coupons } from '../../db/schema';
import { AppError } from '../../errors';
import { saleKeys } from '../../redis/keys';
import type { PurchaseOutcome } from '../purchase';
import type { Sale } from '../sale';

let database: TestDatabase;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());

/** A coupon, two nodes that sell it, and the outcomes that their callers have seen. */
async function startSelling(redisUrl: string) {
  const { db } = database;
  const couponId = await insertCoupon(db);
  const nodes = [
    await startTestSale({ db, redisUrl, nodeName: 'one' }),
    await startTestSale({ db, redisUrl, nodeName: 'two' }),
  ];
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });
  const seen: string[] = [];
  let calls = 0;

  async function buy(userId: string, node = nodes[calls++ % nodes.length] as Sale): Promise<PurchaseOutcome> {
    const outcome = await node.purchase({
      kind: 'seckill',
      couponId,
      userId,
      deadline: performance.now() + 280,
    });
    if ('order' in outcome && outcome.order.status === 'confirmed') seen.push(outcome.order.id);
    return outcome;
  }

  /** Calls again, as a shopper does, while the sale is paused or cannot be reached. */
  const buyWithRetries = (userId: string) =>
    waitUntil(async () => {
      const outcome = await buy(userId).catch(onlyUnavailable);
      return outcome && outcome.outcome !== 'paused' ? outcome : undefined;
    });

  const crowd = (name: string, size: number) =>
    Promise.all(Array.from({ length: size }, (_, n) => buyWithRetries(`${name}-${n}`)));

  const sold = async () => {
    const row = await db.query.coupons.findFirst({ where: eq(coupons.id, couponId) });
    return row?.sold ?? 0;
  };
  const settled = (count: number) => waitUntil(async () => (await sold()) === count);
  const generation = async () => {
    const row = await db.query.coupons.findFirst({ where: eq(coupons.id, couponId) });
    return row?.generation ?? 0;
  };

  return {
    couponId,
    buy,
    buyWithRetries,
    crowd,
    settled,
    sold,
    generation,
    expectWhole: (url = redisUrl) => expectConsistentSale({ db, redisUrl: url, couponId, seen }),
    /** Orders that Redis lost were never confirmed: their stock is on sale again, until the last piece. */
    async sellOut() {
      for (let late = 0; late < 50 && (await sold()) < 50; late++) await buyWithRetries(`late-${late}`);
      await settled(50);
    },
  };
}

function onlyUnavailable(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return undefined;
  throw error;
}

/** A Redis in a folder that outlives it, and its end with the test, whichever process it is by then. */
async function redisInFolder({ appendonly = false } = {}) {
  const folder = await makeTempFolder('redis');
  const start = (port?: number) => startRedis({ dir: folder.dir, appendonly, ...(port && { port }) });
  let service: TestService = await start();
  onTestFinished(async () => {
    await service.stop();
    await folder.remove();
  });
  return {
    dir: folder.dir,
    url: service.url,
    kill: () => service.kill(),
    async restart() {
      service = await start(service.port);
    },
  };
}

async function tellRedis(
  url: string,
  ...command: [name: string, ...rest: (string | number)[]]
): Promise<unknown> {
  const client = await connectTestRedis(url);
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
}

test.each([
  { kept: 'dump.rdb', appendonly: false },
  { kept: 'appendonlydir', appendonly: true },
])(
  'an old $kept restored in the middle of a sale: nothing is sold twice, all 50 in the end',
  async ({ kept, appendonly }) => {
    const redis = await redisInFolder({ appendonly });
    const sale = await startSelling(redis.url);
    await sale.crowd('early', 10);
    await sale.settled(10);
    if (!appendonly) await tellRedis(redis.url, 'SAVE');
    await cp(path.join(redis.dir, kept), `${redis.dir}-backup`, { recursive: true });
    await sale.crowd('later', 30);
    await sale.settled(40);
    const before = await sale.generation();

    const latest = sale.crowd('latest', 30);
    await redis.kill();
    await rm(path.join(redis.dir, kept), { recursive: true });
    await cp(`${redis.dir}-backup`, path.join(redis.dir, kept), { recursive: true });
    await redis.restart();
    await latest;
    await sale.sellOut();

    expect(await sale.generation()).toBeGreaterThan(before);
    expect(await sale.buyWithRetries('later-3')).toMatchObject({ outcome: 'already-bought' });
    await sale.expectWhole();
  },
);

test('a promoted replica that lagged sells nothing until it is rebuilt from the ledger', async () => {
  const [primary, replica] = await Promise.all([startRedis(), startRedis()]);
  onTestFinished(async () => {
    await Promise.all([primary.stop(), replica.stop()]);
  });
  const proxy = await startRedisProxy(primary.url);
  onTestFinished(() => proxy.stop());
  const sale = await startSelling(proxy.url);
  await tellRedis(replica.url, 'REPLICAOF', '127.0.0.1', primary.port);
  await sale.crowd('early', 10);
  await waitUntil(
    async () => (await tellRedis(replica.url, 'HGET', saleKeys(sale.couponId).gate, 'sequence')) === '10',
  );
  await tellRedis(replica.url, 'REPLICAOF', 'NO', 'ONE');
  await sale.crowd('later', 30);
  await sale.settled(40);

  const before = await sale.generation();
  const latest = sale.crowd('latest', 30);
  await primary.kill();
  proxy.switchTo(replica.url);
  await latest;
  await sale.sellOut();
  expect(await sale.generation()).toBeGreaterThan(before);
  await sale.expectWhole(replica.url);
});

test('Redis is killed and restarts empty: 50 orders, one per shopper, and confirmed orders stay', async () => {
  const redis = await redisInFolder();
  const sale = await startSelling(redis.url);
  await sale.crowd('early', 20);
  const rest = sale.crowd('later', 60);
  await redis.kill();
  await redis.restart();
  await rest;
  await sale.sellOut();
  await sale.expectWhole();
});

test('Redis is killed with append-only files: the gate keeps its state and its generation', async () => {
  const redis = await redisInFolder({ appendonly: true });
  const sale = await startSelling(redis.url);
  await sale.crowd('early', 20);
  const before = await sale.generation();
  const rest = sale.crowd('later', 60);
  await redis.kill();
  await redis.restart();
  await rest;
  await sale.sellOut();
  expect(await sale.generation()).toBe(before);
  await sale.expectWhole();
});

test('SCRIPT FLUSH and FUNCTION FLUSH during a sale fail no call', async () => {
  const redis = await redisInFolder();
  const sale = await startSelling(redis.url);
  await sale.crowd('first', 1);
  const client = await connectTestRedis(redis.url);
  for (let round = 0; round < 5; round++) {
    await flushScripts(client);
    expect(await sale.buy(`shopper-${round}`)).toMatchObject({ outcome: 'accepted' });
  }
  client.disconnect();
  await sale.crowd('later', 60);
  await sale.sellOut();
  await sale.expectWhole();
});

test('Redis at maxmemory: nothing is sold or lost, and the sale continues without action', async () => {
  const redis = await redisInFolder();
  const sale = await startSelling(redis.url);
  await sale.crowd('early', 20);
  await sale.settled(20);
  const client = await connectTestRedis(redis.url);
  onTestFinished(() => client.disconnect());
  await client.config('SET', 'maxmemory', 1);
  for (let round = 0; round < 10; round++) {
    await expect(sale.buy(`shopper-${round}`)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  }
  // A gate that is missing cannot come back meanwhile, and nothing is promised without one.
  await client.del(saleKeys(sale.couponId).gate);
  expect(await sale.buy('ada').catch(onlyUnavailable)).not.toMatchObject({ outcome: 'accepted' });
  expect(await sale.sold()).toBe(20);
  await client.config('SET', 'maxmemory', 0);
  await sale.crowd('later', 60);
  await sale.sellOut();
  await sale.expectWhole();
});
