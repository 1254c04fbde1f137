import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { connectTestRedis } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import type { RedisClient } from '../../redis/client';
import { settledChannel } from '../../redis/keys';
import type { Order } from '../order';
import { publishSettled, subscribeSettled } from './settled-orders';

const order: Order = {
  id: 'one',
  couponId: 'c',
  userId: 'ada',
  status: 'confirmed',
  createdAt: 1,
  confirmedAt: 2,
};
const warn = vi.fn();
let redis: RedisClient;

beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

/** A proxy of Redis that cuts the connection at the next `cuts.left` SUBSCRIBE commands. */
async function cuttingProxy(): Promise<{
  url: string;
  cuts: { left: number };
  cutAll(): void;
  close(): void;
}> {
  const target = new URL(await redisUrl());
  const cuts = { left: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    sockets.add(client).add(upstream);
    upstream.on('close', () => client.destroy()).pipe(client);
    client.on('close', () => upstream.destroy());
    client.on('data', (chunk) => {
      if (cuts.left === 0 || !/subscribe/i.test(chunk.toString())) return void upstream.write(chunk);
      cuts.left -= 1;
      client.destroy();
    });
  });
  const port = await listenOnFreePort(server);
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    cuts,
    cutAll,
    close() {
      cutAll();
      server.close();
    },
  };
}

test('a subscription survives the loss of Redis, and messages arrive again', async () => {
  const proxy = await cuttingProxy();
  const subscriber = await connectTestRedis(proxy.url);
  const received: Order[] = [];
  await subscribeSettled(subscriber, {
    onSettledMessage: ({ orders }) => received.push(...orders),
    log: { warn },
  });
  proxy.cuts.left = 2;
  proxy.cutAll();
  await waitUntil(() => proxy.cuts.left === 0);
  await waitUntil(async () => {
    await publishSettled(redis, [order]);
    return received.length > 0;
  });
  expect(received[0]).toEqual(order);
  subscriber.disconnect();
  proxy.close();
});

test.each(['no JSON', '{}', '[{"id":"one","status":"lost"}]'])(
  'a message in an unknown form is ignored: %s',
  async (message) => {
    const subscriber = await connectTestRedis(await redisUrl());
    const onSettledMessage = vi.fn();
    warn.mockClear();
    await subscribeSettled(subscriber, { onSettledMessage, log: { warn } });
    await redis.publish(settledChannel, message);
    await waitUntil(() => warn.mock.calls.length > 0);
    expect(onSettledMessage).not.toHaveBeenCalled();
    await subscriber.quit();
  },
);
