import { z } from 'zod';
import type { RedisClient } from '../../redis/client';
import { settledChannel } from '../../redis/keys';
import { subscribeChannel } from '../../redis/subscribe-channel';
import type { Fence } from '../gate/fence';
import type { Order } from '../orders/order';

const orders = z.array(
  z.object({
    id: z.string(),
    couponId: z.string(),
    userId: z.string(),
    status: z.enum(['reserved', 'confirmed', 'paid', 'cancelled', 'expired']),
    createdAt: z.number(),
    confirmedAt: z.number().optional(),
    holdUntil: z.number().optional(),
    code: z.string().optional(),
  }) satisfies z.ZodType<Order>,
);

const news = z.object({
  orders,
  marks: z.array(z.object({ couponId: z.string(), generation: z.number(), sequence: z.number() })),
});

/** What a ledger has settled, and how far the gates have come that sold it. */
export interface SettledMessage {
  orders: Order[];
  marks: (Fence & { couponId: string })[];
}

/** Tells all nodes what the ledger has settled. Lost news cost a shopper a wait, never an order. */
export async function publishSettled(
  redis: RedisClient,
  orders: readonly Order[],
  marks: SettledMessage['marks'] = [],
): Promise<void> {
  await redis.publish(settledChannel, JSON.stringify({ orders, marks }));
}

export interface Hearing {
  onMessage: (news: SettledMessage) => void;
  log: { warn(fields: object, message: string): void };
}

/** Hears what any node's ledger has settled, also after its connection was lost. */
export async function subscribeSettled(
  subscriber: RedisClient,
  { onMessage: hear, log }: Hearing,
): Promise<void> {
  await subscribeChannel(subscriber, {
    channel: settledChannel,
    onMessage(message) {
      const heard = parseNews(message);
      if (heard) hear(heard);
      else log.warn({}, 'News of settled orders came in a form that this node does not know.');
    },
    onLost: (err) => log.warn({ err }, 'Settled orders are not heard of.'),
  });
}

/** A node of another version may tell it in another form. */
function parseNews(message: string): SettledMessage | undefined {
  try {
    return news.safeParse(JSON.parse(message)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
