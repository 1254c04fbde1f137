import { z } from 'zod';
import type { RedisClient } from '../redis/client';
import { settledChannel } from '../redis/keys';
import type { Order } from './order';

const order = z.object({
  id: z.string(),
  couponId: z.string(),
  userId: z.string(),
  status: z.enum(['reserved', 'confirmed', 'paid', 'cancelled', 'expired']),
  createdAt: z.number(),
  confirmedAt: z.number().optional(),
  holdUntil: z.number().optional(),
  code: z.string().optional(),
});

/** Tells all nodes what the ledger has settled. Lost news cost a shopper a wait, never an order. */
export async function publishSettled(redis: RedisClient, orders: readonly Order[]): Promise<void> {
  await redis.publish(settledChannel, JSON.stringify(orders));
}

/** Hears what any node's ledger has settled. `subscriber` is a connection of its own. */
export async function hearSettled(subscriber: RedisClient, hear: (orders: Order[]) => void): Promise<void> {
  subscriber.on('message', (channel: string, message: string) => {
    if (channel === settledChannel) hear(z.array(order).parse(JSON.parse(message)));
  });
  await subscriber.subscribe(settledChannel);
}
