import { afterAll, beforeAll, test, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../test/database';
import { clientOf, openCoupon, startTestNode, type TestNode } from '../test/node';
import { connectTestRedis } from '../test/redis';
import { startRedis } from '../test/services/redis';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';
import type { RedisClient } from './redis/client';
import { saleKeys } from './redis/keys';
import type { User } from './trpc/context';

/** Time in which a changed limit or person applies on every node, in ms. */
const APPLIED_WITHIN_MS = 1_000;
/** Time in which the auditor heals a wrong stock, in ms. */
const HEALED_WITHIN_MS = 10_000;

const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };
const level = { policy: 'coupon.seckill', level: 'user' };

let database: TestDatabase;
let redis: TestService;
let client: RedisClient;
let here: TestNode;
let there: TestNode;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
  redis = await startRedis();
  client = await connectTestRedis(redis.url);
  const settings = { REDIS_URL: redis.url, DATABASE_URL: database.url };
  [here, there] = [await startTestNode(settings), await startTestNode(settings)];
});
afterAll(async () => {
  await Promise.all([here?.stop(), there?.stop()]);
  client?.disconnect();
  await redis?.stop();
  await database?.drop();
});

/** The limit of the shopper's own window, on the other node. */
async function limitOf(userId: string) {
  const { windows } = await clientOf(there, userId).limit.mine.query({});
  return windows.find(({ policy }) => policy === level.policy)?.limit;
}

test('a changed limit applies on the other node within a second', async () => {
  await clientOf(here, admin).limit.update.mutate({ ...level, limit: 2 });
  await vi.waitUntil(async () => (await limitOf('ada')) === 2, APPLIED_WITHIN_MS);
  await clientOf(here, admin).limit.reset.mutate(level);
  await vi.waitUntil(async () => (await limitOf('ada')) === 5, APPLIED_WITHIN_MS);
});

test('a rule for a person applies on the other node within a second', async () => {
  const { person } = clientOf(here, admin).limit;
  const rule = { kind: 'numbers' as const, limit: 20 };
  const set = await person.set.mutate({ ...level, subject: 'vera-the-vip', rule, why: 'a test' });
  await vi.waitUntil(async () => (await limitOf('vera-the-vip')) === 20, APPLIED_WITHIN_MS);
  await person.lift.mutate({ personId: set.person.personId });
  await vi.waitUntil(async () => (await limitOf('vera-the-vip')) === 5, APPLIED_WITHIN_MS);
});

test('a stock that was changed by hand is healed within 10 seconds', async () => {
  const couponId = await openCoupon({ db: database.db, sale: here.sale }, { stock: 50 });
  const { gate } = saleKeys(couponId);
  await client.hset(gate, 'remaining', 500);
  await vi.waitUntil(async () => (await client.hget(gate, 'remaining')) === '50', HEALED_WITHIN_MS);
});
