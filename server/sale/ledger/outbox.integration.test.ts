import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { StoreUnavailableError } from '../../limiter/index';
import { saleKeys } from '../../redis/keys';
import type { OutboxEntry } from './outbox';
import { createOutbox, type Outbox } from './outbox';

const entry: OutboxEntry = {
  entryId: '1-0',
  generation: 1,
  sequence: 1,
  orderId: 'order',
  userId: 'ada',
  code: 'K2NJ6MNQTT',
  requestId: null,
  createdAt: 0,
};

const calls: { name: keyof Outbox; call: (outbox: Outbox) => Promise<unknown> }[] = [
  { name: 'readNew', call: (outbox) => outbox.readNew('coupon') },
  { name: 'readOwn', call: (outbox) => outbox.readOwn('coupon') },
  { name: 'reclaim', call: (outbox) => outbox.reclaim('coupon', 0) },
  { name: 'readAll', call: (outbox) => outbox.readAll('coupon') },
  { name: 'ackEntries', call: (outbox) => outbox.ackEntries('coupon', [entry]) },
  { name: 'deadLetter', call: (outbox) => outbox.deadLetter('coupon', { ...entry, why: 'a test' }) },
  { name: 'readBacklog', call: (outbox) => outbox.readBacklog('coupon') },
];

// A call that waits for a rebuild of its gate drains the outbox: what is raw here answers it as a bug of ours.
test.each(calls)(
  '$name says of a Redis that is away that the store is, and not that we are',
  async ({ call }) => {
    const service = await startRedis();
    const redis = await connectTestRedis(service.url);
    onTestFinished(() => redis.disconnect());
    const outbox = createOutbox({ redis, group: 'ledger', consumer: 'node' });
    await service.kill();
    await expect(call(outbox)).rejects.toThrow(StoreUnavailableError);
  },
);

test('acked entries leave the outbox with their reservations, and nothing else does', async () => {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  const couponId = `coupon-${randomUUID()}`;
  const { outbox: stream, reservations } = saleKeys(couponId);
  await redis.xgroup('CREATE', stream, 'ledger', '0', 'MKSTREAM');
  const sold = [
    { order: 'one', shopper: 'ada' },
    { order: 'two', shopper: 'bob' },
    { order: 'three', shopper: 'ada' },
  ];
  for (const { order, shopper } of sold) {
    await redis.xadd(
      ...([stream, '*', 'generation', 0, 'sequence', 1, 'order', order, 'shopper', shopper] as const),
      ...['code', 'K2NJ6MNQTT', 'request', '', 'at', 1],
    );
    await redis.hset(reservations(shopper), order, 1);
  }
  const outbox = createOutbox({ redis, group: 'ledger', consumer: 'node' });
  const { entries } = await outbox.readNew(couponId);
  expect(entries.map(({ orderId }) => orderId)).toEqual(['one', 'two', 'three']);

  const settled = entries.slice(0, 2);
  await outbox.ackEntries(couponId, settled);
  await outbox.ackEntries(couponId, settled);
  expect((await outbox.readOwn(couponId)).entries).toEqual(entries.slice(2));
  expect(await redis.xlen(stream)).toBe(1);
  expect((await redis.xpending(stream, 'ledger'))[0]).toBe(1);
  expect(await redis.hgetall(reservations('ada'))).toEqual({ three: '1' });
  expect(await redis.exists(reservations('bob'))).toBe(0);
});
