import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import { startRedisProxy } from '../../test/services/redis-proxy';
import { StoreUnavailableError } from '../limiter/index';
import { addHit, countHits, createCountedSend } from './naive-log';

async function connected() {
  const service = await startRedis();
  const proxy = await startRedisProxy(service.url);
  const [redis, client] = [await connectTestRedis(service.url), await connectTestRedis(proxy.url)];
  onTestFinished(async () => {
    client.disconnect();
    redis.disconnect();
    proxy.stop();
    await service.stop();
  });
  const call = { client, key: `${freshPrefix()}log`, now: 1_000, windowMs: 1_000, member: 'one' };
  return { proxy, redis, call };
}

test('a decision takes four round trips', async () => {
  const { call } = await connected();
  const send = createCountedSend();
  expect(await countHits(call, send)).toBe(0);
  await addHit(call, send);
  expect(send.roundTrips()).toBe(4);
});

test('a log expires if the connection breaks after its first hit', async () => {
  const { proxy, redis, call } = await connected();
  proxy.loseReplies();
  await expect(addHit(call, createCountedSend())).rejects.toThrow(StoreUnavailableError);
  expect(await redis.pttl(call.key)).toBeGreaterThan(0);
});
