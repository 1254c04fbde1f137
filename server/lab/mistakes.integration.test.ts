import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labStores, startTestLab, type TestLab, useTestLab } from '../../test/lab';
import { type RedisCluster, startRedisCluster } from '../../test/services/redis-cluster';
import { mistakes } from './mistakes/mistake';

describe.each(labStores)('on $store', ({ start }) => {
  const lab = useTestLab(start);

  test.each(mistakes)(
    '%s: the product never admits more than the limit, in one round trip',
    async (mistake) => {
      const shown = await lab().mistake({ mistake });
      expect(shown.mistake).toBe(mistake);
      expect(shown.product.worstWindow).toBe(shown.limit);
      expect(shown.product.roundTrips).toBe(1);
      expect(shown.product.keys.length).toBeGreaterThan(0);
      expect(shown.naive.keys.length).toBeGreaterThan(0);
      expect(shown.naive.decisions.map(({ at }) => at)).toEqual(shown.product.decisions.map(({ at }) => at));
      expect(await lab().redis.keys('lab:{????????}:*')).toEqual([]);
      expect(await lab().redis.keys('lab:????????:*')).toEqual([]);
    },
  );

  test('a counter per window admits twice the limit around an edge', async () => {
    const { naive, product, limit } = await lab().mistake({ mistake: 'double-burst' });
    expect([naive.admitted, naive.worstWindow, product.admitted]).toEqual([2 * limit, 2 * limit, limit]);
    expect(naive.keys.map(({ members }) => members)).toEqual([
      [{ member: '50', value: null }],
      [{ member: '50', value: null }],
    ]);
  });

  test('a node whose clock is 5 s ahead drops hits 5 s early and admits 50 % too many', async () => {
    const shown = await lab().mistake({ mistake: 'node-clock' });
    // 10 hits of each node fill the window. The node ahead drops half a window of them too early.
    expect([shown.naive.worstWindow, shown.product.worstWindow, shown.limit]).toEqual([30, 20, 20]);
    expect(shown.naive.admitted).toBeGreaterThan(shown.product.admitted);
  });

  test('a caller who keeps retrying is never admitted again if refusals count, and in each window if they do not', async () => {
    const { naive, product } = await lab().mistake({ mistake: 'self-extending-block' });
    // 40 s of calls, 5 in 10 s.
    expect([naive.admitted, product.admitted]).toEqual([5, 20]);
    expect(naive.decisions.at(-1)).toMatchObject({ allowed: false, retryAfterMs: 8_000 });
  });

  test('a Redis without slots runs a script over any keys, and is reported as no cluster', async () => {
    const shown = await lab().mistake({ mistake: 'cross-slot' });
    if (shown.mistake !== 'cross-slot') throw new Error('unexpected mistake');
    expect(shown).toMatchObject({ isCluster: false, naiveError: null });
    expect(new Set(shown.naiveKeys.map(({ slot }) => slot)).size).toBe(3);
    expect(new Set(shown.productKeys.map(({ slot }) => slot)).size).toBe(1);
    expect([shown.naive.admitted, shown.product.admitted]).toEqual([5, 5]);
  });
});

describe('on a cluster', () => {
  let cluster: RedisCluster;
  let lab: TestLab;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    lab = await startTestLab(cluster.url);
  });
  afterAll(async () => {
    await lab?.stop();
    await cluster?.stop();
  });

  test('without a common hash tag Redis answers CROSSSLOT, and the product still decides', async () => {
    const shown = await lab.mistake({ mistake: 'cross-slot' });
    if (shown.mistake !== 'cross-slot') throw new Error('unexpected mistake');
    expect(shown.isCluster).toBe(true);
    expect(shown.naiveError).toMatch(/^CROSSSLOT /);
    expect([shown.naive.admitted, shown.product.admitted]).toEqual([0, 5]);
    for (const { key, slot } of [...shown.naiveKeys, ...shown.productKeys]) {
      expect(await cluster.nodes[0]?.client.cluster('KEYSLOT', key), key).toBe(slot);
    }
  });

  test('races, runs and storages have the same results as on one Redis', async () => {
    const start = { limit: 10, windowMs: 1_000, concurrency: 200 };
    expect(await lab.race({ variant: 'four-commands', ...start })).toMatchObject({ admitted: 200 });
    expect(await lab.race({ variant: 'timestamp-member', ...start })).toMatchObject({ admitted: 200 });
    expect(await lab.race({ variant: 'product', ...start })).toMatchObject({ admitted: 10 });
    const arrivals = [...Array(20).keys()].map((index) => 990 + index);
    const { runs } = await lab.run({
      algorithms: ['fixed-window', 'sliding-log'],
      limit: 10,
      windowMs: 1_000,
      arrivals,
    });
    expect(runs.map(({ worstWindow }) => worstWindow)).toEqual([20, 10]);
    expect((await lab.storages({ hits: 10, windowMs: 1_000 })).storages).toHaveLength(5);
    expect(lab.warnings).toEqual([]);
  });
});
