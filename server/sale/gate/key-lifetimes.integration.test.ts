import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpLink } from '@trpc/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase } from '../../../test/database';
import { startTestNode } from '../../../test/node';
import { connectTestRedis } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { postgresUrl } from '../../../test/services/worker-services';
import { nodesKey, ratesKey, saleKeys } from '../../redis/keys';
import type { AppRouter } from '../../router';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('every key that a purchase leaves behind expires', async () => {
  const database = await freshDatabase(await postgresUrl());
  onTestFinished(() => database.drop());
  const service = await startRedis();
  onTestFinished(() => service.stop());
  const node = await startTestNode({ REDIS_URL: service.url, DATABASE_URL: database.url });
  onTestFinished(() => node.stop());
  const endsAt = Date.now() + HOUR_MS;
  const seckillId = await insertCoupon(database.db, { endsAt: new Date(endsAt) });
  const claimId = await insertCoupon(database.db, { kind: 'claim', stock: null, endsAt: new Date(endsAt) });
  for (const couponId of [seckillId, claimId]) await vi.waitUntil(() => node.sale.ensureGate(couponId));

  for (const id of ['ada', 'bob']) {
    const cookie = node.sessions.createCookieHeader({ id, name: id, role: 'shopper' });
    const link = httpLink({ url: `${node.url}/api/trpc`, headers: { cookie } });
    const { coupon } = createTRPCClient<AppRouter>({ links: [link] });
    const requestId = randomUUID();
    await coupon.seckill.mutate({ couponId: seckillId, requestId });
    await coupon.claim.mutate({ couponId: claimId, requestId });
  }

  const redis = await connectTestRedis(service.url);
  onTestFinished(() => redis.disconnect());
  const keys = await redis.keys('*');
  // One row a node, which other nodes remove; the totals count from the first day of the fleet.
  const kept = new Set([nodesKey, ratesKey]);
  for (const key of keys.filter((one) => !kept.has(one)))
    expect(await redis.pttl(key), `PTTL of ${key}`).toBeGreaterThan(0);

  const { gate, buyers, outbox } = saleKeys(seckillId);
  for (const key of [gate, buyers, outbox]) {
    const expiresAt = Date.now() + (await redis.pttl(key));
    expect(Math.abs(expiresAt - endsAt - DAY_MS), key).toBeLessThan(1_000);
  }
});
