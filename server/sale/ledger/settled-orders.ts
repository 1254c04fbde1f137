import { z } from 'zod';
import type { Log } from '../../observability/log';
import type { RedisClient } from '../../redis/client';
import { settledChannel } from '../../redis/keys';
import { subscribeChannel } from '../../redis/subscribe-channel';
import { withTimeout } from '../../timers';
import { parseJson } from '../../trpc/parse-json';
import type { Fence } from '../gate/fence';
import type { Order } from '../order';

/** A call that waits for its order to be settled. */
export interface WaitingCall {
  /** Resolves to the order when the ledger has settled it, or to undefined after `timeoutMs`. Ends the wait. */
  waitForOrder(timeoutMs: number): Promise<Order | undefined>;
  /** Ends the wait for an order that was not made. */
  cancel(): void;
}

/** The calls of this node that wait for their orders. */
export interface WaitingCalls {
  /** Adds a call. Call it before the purchase: another node's ledger may be faster than the gate's reply. */
  add(orderId: string): WaitingCall;
  /** Resolves the calls that wait for these orders. */
  notify(orders: readonly Order[]): void;
}

interface Waiting {
  settled?: Order;
  resolve?: (order: Order) => void;
}

/** Creates the waiting calls of a node. */
export function createWaitingCalls(): WaitingCalls {
  /** By order id. Several calls with one request id wait for the same order. */
  const waitingByOrder = new Map<string, Set<Waiting>>();
  return {
    add(orderId) {
      const waiting: Waiting = {};
      const calls = waitingByOrder.get(orderId) ?? new Set();
      waitingByOrder.set(orderId, calls.add(waiting));
      const cancel = () => {
        calls.delete(waiting);
        if (calls.size === 0 && waitingByOrder.get(orderId) === calls) waitingByOrder.delete(orderId);
      };
      return {
        cancel,
        waitForOrder(timeoutMs) {
          const settled = new Promise<Order | undefined>((resolve) => {
            waiting.resolve = resolve;
            if (waiting.settled) resolve(waiting.settled);
          });
          return withTimeout(settled, timeoutMs, () => undefined).finally(cancel);
        },
      };
    },
    notify(orders) {
      for (const order of orders) {
        for (const waiting of waitingByOrder.get(order.id) ?? []) {
          waiting.settled = order;
          waiting.resolve?.(order);
        }
      }
    },
  };
}

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

/** The message in Redis. Its field names are shared with nodes of other versions. */
const settledMessage = z
  .object({
    orders,
    marks: z.array(z.object({ couponId: z.string(), generation: z.number(), sequence: z.number() })),
  })
  .transform(({ marks: fences, ...message }): SettledMessage => ({ ...message, fences }));

/** Settled orders, and the fences of their gates. */
interface SettledMessage {
  orders: Order[];
  fences: (Fence & { couponId: string })[];
}

/** Publishes settled orders to all nodes. A lost message costs a shopper a wait, never an order. */
export async function publishSettled(
  redis: RedisClient,
  orders: readonly Order[],
  fences: SettledMessage['fences'] = [],
): Promise<void> {
  const message = { orders: [...orders], marks: fences } satisfies z.input<typeof settledMessage>;
  await redis.publish(settledChannel, JSON.stringify(message));
}

/** Subscribes to the messages of every node's ledger, also after a reconnect. */
export async function subscribeSettled(
  subscriber: RedisClient,
  {
    onSettledMessage,
    log,
  }: {
    onSettledMessage: (message: SettledMessage) => void;
    log: Pick<Log, 'warn'>;
  },
): Promise<void> {
  await subscribeChannel(subscriber, {
    channel: settledChannel,
    onMessage(text) {
      const message = parseMessage(text);
      if (message) onSettledMessage(message);
      else log.warn({}, 'A message of settled orders has a form that this version does not support.');
    },
    onLost: (err) => log.warn({ err }, 'This node receives no messages of settled orders.'),
  });
}

/** Returns undefined for a message of another form, which another version may have sent. */
function parseMessage(text: string): SettledMessage | undefined {
  return settledMessage.safeParse(parseJson(text)).data;
}
