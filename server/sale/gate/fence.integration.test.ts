import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestRedis } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { createFences, type Fences } from './fence';
import { createGate, type Gate } from './gate';

let redis: RedisClient;

beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

const BOUND = { entries: 1_000, ageMs: 60_000 };

/** A gate of generation 3 that has sold `sold` pieces, and a node that has read it. */
async function openGate({ sold = 0, unwritten = BOUND } = {}) {
  const couponId = `coupon-${randomUUID()}`;
  const fence = createFences();
  const gate = createGate({ redis, fences: fence, unwritten });
  await gate.open({
    couponId,
    generation: 3,
    kind: 'seckill',
    startsAt: 0,
    endsAt: Date.now() + 60_000,
    remaining: 10,
    stock: 10,
    revision: 0,
  });
  for (let n = 0; n < sold; n++) await buy(gate, couponId, `shopper-${n}`);
  return { couponId, fence, gate };
}

function buy(gate: Gate, couponId: string, userId = 'ada') {
  return gate.purchase({
    couponId,
    kind: 'seckill',
    userId,
    orderId: randomUUID(),
    code: 'CODE',
    isReplay: false,
    deadline: performance.now() + 280,
  });
}

/** The gate on another node, which has observed this fence. */
function gateWithFence(couponId: string, mark: Parameters<Fences['observe']>[1]): Gate {
  const fence = createFences();
  fence.observe(couponId, mark);
  return createGate({ redis, fences: fence, unwritten: BOUND });
}

test('each purchase raises the sequence of its generation, and the node that made it knows', async () => {
  const { couponId, gate, fence } = await openGate({ sold: 2 });
  expect(fence.highest(couponId)).toEqual({ generation: 3, sequence: 2 });
  expect(await gate.readState(couponId)).toMatchObject({ generation: 3, sequence: 2, isStale: false });
  const entries = await redis.xrange(saleKeys(couponId).outbox, '-', '+');
  const sequences = entries.map(([, fields]) => fields[fields.indexOf('sequence') + 1]);
  expect(sequences).toEqual(['1', '2']);
});

test.each([
  { known: 'a later purchase', mark: { generation: 3, sequence: 3 }, outcome: 'stale' },
  { known: 'a later generation', mark: { generation: 4, sequence: 0 }, outcome: 'stale' },
  { known: 'the same purchase', mark: { generation: 3, sequence: 2 }, outcome: 'accepted' },
  { known: 'an earlier generation', mark: { generation: 2, sequence: 99 }, outcome: 'accepted' },
])('a gate of which a node has seen $known: $outcome', async ({ mark, outcome }) => {
  const { couponId } = await openGate({ sold: 2 });
  const node = gateWithFence(couponId, mark);
  expect((await node.readState(couponId))?.isStale).toBe(outcome === 'stale');
  expect(await buy(node, couponId)).toMatchObject({ outcome });
  expect((await node.readState(couponId))?.remaining).toBe(outcome === 'stale' ? 8 : 7);
});

test('a stale gate does not return orders either, because it may have lost buyers', async () => {
  const { couponId } = await openGate({ sold: 1 });
  const node = gateWithFence(couponId, { generation: 3, sequence: 2 });
  expect(await buy(node, couponId, 'shopper-0')).toEqual({ outcome: 'stale' });
});

test('a lower fence that arrives late changes nothing', () => {
  const fence = createFences();
  fence.observe('coupon', { generation: 2, sequence: 7 });
  fence.observe('coupon', { generation: 2, sequence: 5 });
  fence.observe('coupon', { generation: 1, sequence: 900 });
  expect(fence.highest('coupon')).toEqual({ generation: 2, sequence: 7 });
});

test('the gate accepts as many orders as may wait for the ledger, and no more', async () => {
  const { couponId, gate } = await openGate({ sold: 3, unwritten: { entries: 3, ageMs: 60_000 } });
  expect(await buy(gate, couponId)).toEqual({ outcome: 'behind' });
  expect(await buy(gate, couponId, 'shopper-1')).toMatchObject({ outcome: 'already-bought' });
  expect((await gate.readState(couponId))?.remaining).toBe(7);
});

test('the gate accepts no order while one has waited too long for the ledger', async () => {
  const { couponId, gate } = await openGate({ unwritten: { entries: 1_000, ageMs: 5_000 } });
  const { outbox } = saleKeys(couponId);
  await redis.xadd(outbox, `${Date.now() - 4_000}-0`, 'order', 'one');
  expect(await buy(gate, couponId)).toMatchObject({ outcome: 'accepted' });
  await redis.del(outbox);
  await redis.xadd(outbox, `${Date.now() - 6_000}-0`, 'order', 'one');
  expect(await buy(gate, couponId, 'bob')).toEqual({ outcome: 'behind' });
});

test('a gate that was opened again since is not closed', async () => {
  const { couponId, gate } = await openGate();
  await gate.close({ couponId, generation: 2 });
  expect(await gate.readState(couponId)).toMatchObject({ generation: 3 });
  await gate.close({ couponId, generation: 3 });
  expect(await gate.readState(couponId)).toBeUndefined();
});
