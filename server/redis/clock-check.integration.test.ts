import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startRedisCluster } from '../../test/services/redis-cluster';
import { stores } from '../../test/stores';
import { createClockCheck } from './clock-check';

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
    expect(await health()).toEqual({ ok: true, detail: 'no step' });
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
