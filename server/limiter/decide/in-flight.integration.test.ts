import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sameSubject } from '../../../test/call-subjects';
import { describeStores } from '../../../test/limiter-stores';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import { createLimiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import type { InFlightLevel, Level } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';

const START = 1_795_226_301_987;
const reports = { level: 'user', concurrent: 2, leaseMs: 30_000 };

/** Two nodes with one clock, and a policy of calls in flight. */
function startNodes(
  store: Pick<LimiterOptions, 'store'>,
  levels: readonly (Level<unknown> | InFlightLevel<unknown>)[] = [reports],
) {
  let now = START;
  const prefix = freshPrefix();
  const createNode = () =>
    createLimiter({ ...store, secret: 'a secret of at least 32 characters', prefix, clock: () => now });
  const policy = resolvePolicy({ levels, message: { en: 'Two reports at a time.' } }, 'report');
  const subjects = sameSubject({ levels }, 'ada');
  return {
    ...{ nodes: [createNode(), createNode()] as const, policy, prefix, subjects },
    pass(ms: number) {
      now += ms;
    },
  };
}

/** Decides a call, and returns its lease. */
async function take(
  limiter: ReturnType<typeof createLimiter>,
  { policy, subjects }: Pick<ReturnType<typeof startNodes>, 'policy' | 'subjects'>,
) {
  const decision = await limiter.decide(policy, { subjects });
  if (!decision.allowed || !decision.lease) throw new Error('the call was refused');
  return decision.lease;
}

describeStores((current) => {
  test('at most `concurrent` calls run at the same time on all nodes', async () => {
    const fleet = startNodes({ store: current.store });
    const [one, other] = fleet.nodes;
    const lease = await take(one, fleet);
    await take(other, fleet);
    const refused = await other.decide(fleet.policy, fleet);
    expect(refused).toMatchObject({
      allowed: false,
      reason: 'limited',
      refusedBy: { level: 'user', algorithm: 'in-flight', limit: 2, remaining: 0, retryAfterMs: 30_000 },
    });
    expect(await one.release(lease)).toBe(true);
    expect(await other.decide(fleet.policy, fleet)).toMatchObject({ allowed: true });
  });

  test('the leases of a dead node end; then its calls can neither be released nor renewed', async () => {
    const fleet = startNodes({ store: current.store });
    const [dead, other] = fleet.nodes;
    const lease = await take(dead, fleet);
    await take(dead, fleet);
    fleet.pass(29_999);
    expect(await other.decide(fleet.policy, fleet)).toMatchObject({
      allowed: false,
      refusedBy: { retryAfterMs: 1 },
    });
    fleet.pass(1);
    expect(await other.decide(fleet.policy, fleet)).toMatchObject({ allowed: true });
    expect(await dead.renew(lease)).toBe(false);
    expect(await dead.release(lease)).toBe(false);
  });

  test('a renewal holds the lease for another `leaseMs`', async () => {
    const fleet = startNodes({ store: current.store }, [{ ...reports, concurrent: 1 }]);
    const [one, other] = fleet.nodes;
    const lease = await take(one, fleet);
    fleet.pass(20_000);
    expect(await one.renew(lease)).toBe(true);
    fleet.pass(29_999);
    expect(await other.decide(fleet.policy, fleet)).toMatchObject({
      allowed: false,
      refusedBy: { retryAfterMs: 1 },
    });
  });

  test('a refusal by another level takes no lease, and a refusal in flight charges no window', async () => {
    const fleet = startNodes({ store: current.store }, [
      { level: 'global', limit: 2, windowMs: 10_000 },
      { ...reports, concurrent: 1 },
    ]);
    const [one] = fleet.nodes;
    const first = await take(one, fleet);
    expect(await one.decide(fleet.policy, fleet)).toMatchObject({ allowed: false });
    await one.release(first);
    await one.release(await take(one, fleet));
    expect(await one.decide(fleet.policy, fleet)).toMatchObject({
      allowed: false,
      refusedBy: { level: 'global' },
    });
    const { windows } = await one.peek(fleet.policy, fleet.subjects);
    expect(windows).toMatchObject([{ used: 2 }, { algorithm: 'in-flight', used: 0, limit: 1 }]);
  });

  test('no denial in flight is cached, also after the last lease was taken', async () => {
    const fleet = startNodes({ store: current.store }, [{ ...reports, concurrent: 1 }]);
    const [one] = fleet.nodes;
    const lease = await take(one, fleet);
    expect(one.cachedRefusal(fleet.policy, fleet)).toBeUndefined();
    await one.decide(fleet.policy, fleet);
    expect(one.cachedRefusal(fleet.policy, fleet)).toBeUndefined();
    await one.release(lease);
    expect(await one.decide(fleet.policy, fleet)).toMatchObject({ allowed: true });
  });

  test('a lower limit refuses until enough leases have ended', async () => {
    const fleet = startNodes({ store: current.store });
    const [one] = fleet.nodes;
    await take(one, fleet);
    fleet.pass(10_000);
    await take(one, fleet);
    one.setOverrides([{ policy: 'report', level: 'user', limit: 1, version: 1 }]);
    expect(await one.decide(fleet.policy, fleet)).toMatchObject({
      allowed: false,
      refusedBy: { limit: 1, used: 2, retryAfterMs: 30_000, resetMs: 20_000 },
    });
  });
});

describe('on ioredis', () => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connectTestRedis(await redisUrl());
  });
  afterAll(() => redis.quit());

  test('the key of the leases expires, and is deleted with the last lease', async () => {
    const fleet = startNodes({ store: ioredisStore(redis) });
    const [one] = fleet.nodes;
    const lease = await take(one, fleet);
    const keys = () => redis.keys(`${fleet.prefix}*`);
    const [key = ''] = await keys();
    const ttlMs = await redis.pttl(key);
    expect(ttlMs).toBeGreaterThan(30_000);
    expect(ttlMs).toBeLessThanOrEqual(90_000);
    await one.release(lease);
    expect(await keys()).toEqual([]);
  });

  test('a key that holds no leases fails its call alone', async () => {
    const fleet = startNodes({ store: ioredisStore(redis) });
    const [one] = fleet.nodes;
    await take(one, fleet);
    const [key = ''] = await redis.keys(`${fleet.prefix}*`);
    await redis.set(key, 'not a list');
    const other = one.decide(fleet.policy, { subjects: { user: 'bob' } });
    await expect(one.decide(fleet.policy, fleet)).rejects.toThrow('the store failed');
    expect(await other).toMatchObject({ allowed: true });
  });
});
