import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import { startRedisCluster } from '../../test/services/redis-cluster';
import { valkeyUrl } from '../../test/services/worker-services';
import { stores } from '../../test/stores';
import { createClockCheck, createSettingsCheck } from './checks';
import type { RedisClient } from './client';

describe('the clock check', () => {
  const HOUR = 3_600_000;

  describe.each(stores)('on $store', ({ storeUrl }) => {
    async function setUp() {
      const url = await storeUrl();
      const redis = await connectTestRedis(url);
      onTestFinished(() => redis.disconnect());
      const warnings: object[] = [];
      const monotonic = { shiftMs: 0 };
      const check = createClockCheck({
        redis,
        log: { warn: (fields) => warnings.push(fields) },
        now: () => performance.now() + monotonic.shiftMs,
      });
      return { ...check, redis, warnings, monotonic, address: new URL(url).host };
    }

    test('a steady clock causes no warning, even with slow replies', async () => {
      const { checkClocks, health, redis, warnings } = await setUp();
      await checkClocks();
      await redis.call('CLIENT', 'PAUSE', '300', 'ALL');
      await checkClocks();
      await checkClocks();
      expect(await health()).toEqual({
        ok: true,
        detail: 'no step',
        findings: [{ code: 'no-clock-step' }],
      });
      expect(warnings).toEqual([]);
    });

    // Redis's clock against a monotonic clock that goes back is a step forward, and the other way round.
    test.each([
      { direction: 'forward', shiftMs: -HOUR },
      { direction: 'back', shiftMs: HOUR },
    ])('a step $direction is logged once, and shown for its own length', async ({ direction, shiftMs }) => {
      const { checkClocks, health, warnings, monotonic, address } = await setUp();
      await checkClocks();
      monotonic.shiftMs += shiftMs;
      await checkClocks();
      await checkClocks();
      expect(warnings).toHaveLength(1);
      expect(await health()).toEqual({
        ok: false,
        detail: expect.stringMatching(
          new RegExp(`^the clock of ${address} stepped ${direction} by 3(600\\.0|599\\.\\d) s \\(noticed 2`),
        ),
        findings: [{ code: 'clock-step', values: { direction, seconds: expect.closeTo(3_600, 0), address } }],
      });
      monotonic.shiftMs += HOUR;
      expect((await health()).ok).toBe(true);
    });

    test('a step of a second is shown for ten minutes', async () => {
      const { checkClocks, health, monotonic } = await setUp();
      await checkClocks();
      monotonic.shiftMs -= 1_000;
      await checkClocks();
      monotonic.shiftMs += 9 * 60_000;
      expect((await health()).ok).toBe(false);
      monotonic.shiftMs += 60_000;
      expect((await health()).ok).toBe(true);
    });
  });

  test('of a cluster, the clock of each master is checked', async () => {
    const cluster = await startRedisCluster();
    const redis = await connectTestRedis(cluster.url);
    onTestFinished(async () => {
      redis.disconnect();
      await cluster.stop();
    });
    const stepped: object[] = [];
    let shiftMs = 0;
    const { checkClocks } = createClockCheck({
      redis,
      log: { warn: (fields) => stepped.push(fields) },
      now: () => performance.now() + shiftMs,
    });
    await checkClocks();
    shiftMs = -HOUR;
    await checkClocks();
    expect(stepped).toHaveLength(3);
  });
});

describe('the settings check', () => {
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
    expect(await health()).toEqual({
      ok: false,
      detail: warnings[0],
      findings: [
        {
          code: 'setting-eviction',
          values: { name: 'maxmemory-policy', value: 'allkeys-lru', wanted: 'noeviction' },
        },
      ],
    });

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
});
