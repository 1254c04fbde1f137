import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import { StoreUnavailableError } from '../limiter';
import { createOutbox, type Outbox } from './outbox';
import type { OutboxEntry } from './outbox-entry';

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
  { name: 'acknowledge', call: (outbox) => outbox.acknowledge('coupon', [entry]) },
  { name: 'bury', call: (outbox) => outbox.bury('coupon', { ...entry, why: 'a test' }) },
  { name: 'unwritten', call: (outbox) => outbox.unwritten('coupon') },
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
