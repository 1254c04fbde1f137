import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import { startRedisCluster } from '../../test/services/redis-cluster';
import { valkeyUrl } from '../../test/services/worker-services';
import type { RedisClient } from './client';
import { createSettingsCheck } from './settings-check';

function checkOf(redis: RedisClient) {
  const warnings: string[] = [];
  const check = createSettingsCheck({ redis, log: { warn: (_fields, message) => warnings.push(message) } });
  return { ...check, warnings };
}

async function ownRedis(): Promise<RedisClient> {
  const service = await startRedis();
  const redis = await connectTestRedis(service.url);
  onTestFinished(async () => {
    redis.disconnect();
    await service.stop();
  });
  return redis;
}

test('a Redis that evicts causes one warning with its value and the fix, until it is fixed', async () => {
  const redis = await ownRedis();
  const { checkSettings, health, warnings } = checkOf(redis);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await checkSettings();
  await checkSettings();
  expect(warnings).toEqual([expect.stringMatching(/maxmemory-policy allkeys-lru: .*Set it to noeviction/)]);
  expect(await health()).toEqual({ ok: false, detail: warnings[0] });

  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  await checkSettings();
  expect(await health()).toMatchObject({ ok: true });
  expect(warnings).toHaveLength(1);
});

test('a Redis that forbids CONFIG causes no warning, and keeps an earlier one', async () => {
  const redis = await ownRedis();
  const { checkSettings, health, warnings } = checkOf(redis);
  await redis.acl('SETUSER', 'default', '-config');
  await checkSettings();
  expect([await health(), warnings]).toMatchObject([{ ok: true }, []]);

  await redis.acl('SETUSER', 'default', '+config');
  await redis.config('SET', 'maxmemory-policy', 'volatile-ttl');
  await checkSettings();
  await redis.acl('SETUSER', 'default', '-config');
  await checkSettings();
  expect(await health()).toMatchObject({ ok: false, detail: warnings[0] });
});

test('the embedded Redis causes no warning', async () => {
  const redis = await connectTestRedis(await valkeyUrl());
  const { checkSettings, health, warnings } = checkOf(redis);
  await checkSettings();
  expect([await health(), warnings]).toMatchObject([{ ok: true }, []]);
  await redis.quit();
});

test('in a cluster, one node that evicts and one that requires full coverage cause warnings', async () => {
  const cluster = await startRedisCluster();
  const redis = await connectTestRedis(cluster.url);
  onTestFinished(async () => {
    redis.disconnect();
    await cluster.stop();
  });
  const { checkSettings, health, warnings } = checkOf(redis);
  for (const { client } of cluster.nodes) await client.config('SET', 'cluster-require-full-coverage', 'no');
  await checkSettings();
  expect(await health()).toMatchObject({ ok: true });

  await cluster.nodes[0]?.client.config('SET', 'maxmemory-policy', 'allkeys-lfu');
  await cluster.nodes[1]?.client.config('SET', 'cluster-require-full-coverage', 'yes');
  await checkSettings();
  expect(warnings).toEqual([
    expect.stringContaining('maxmemory-policy allkeys-lfu'),
    expect.stringMatching(/cluster-require-full-coverage yes: .*Set it to no,/),
  ]);
});
