import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labStores, startTestLab, type TestLab, useTestLab } from '../../../test/lab';
import { type RedisCluster, startRedisCluster } from '../../../test/services/redis-cluster';
import { type CardId, cardIds } from './cards';

/** The figures of the faulty limiter and of the product: `value` of `of`. */
const expected = {
  'four-commands': [
    [100, 10],
    [10, 10],
  ],
  'get-then-incr': [
    [50, 10],
    [10, 10],
  ],
  'timestamp-member': [
    [100, 10],
    [10, 10],
  ],
  'seeded-member': [
    [60, 10],
    [10, 10],
  ],
  'random-member': [
    [1_918, 1_900],
    [1_900, 1_900],
  ],
  'double-burst': [
    [100, 50],
    [50, 50],
  ],
  // 40 s of calls, 5 in 10 s.
  'self-extending-block': [
    [5, 20],
    [20, 20],
  ],
  // 60 s of calls: 5 in 12 s until the key expires, 5 in 10 s in the product.
  'expiry-on-success': [
    [25, 30],
    [30, 30],
  ],
  // 10 hits of each node fill the window. The node ahead drops half a window of them too early.
  'node-clock': [
    [30, 20],
    [20, 20],
  ],
  'count-to-now': [
    [41, 20],
    [20, 20],
  ],
  'bucket-units': [
    [3_600, 10],
    [10, 10],
  ],
  'never-drains': [
    [10, 69],
    [69, 69],
  ],
  'lost-state': [
    [90, 10],
    [10, 10],
  ],
  'cross-slot': [
    [3, 1],
    [1, 1],
  ],
  'ban-again': [
    [6, 9],
    [9, 9],
  ],
  'warning-admits': [
    [7, 5],
    [5, 5],
  ],
  'chosen-key': [
    [100, 5],
    [5, 5],
  ],
  anonymous: [
    [3, 30],
    [30, 30],
  ],
  'shared-key': [
    [0, 3],
    [3, 3],
  ],
  'zombie-keys': [
    [19, 0],
    [0, 0],
  ],
  'redis-down': [
    [100, 20],
    [0, 20],
  ],
  'pulse-starves': [
    [31, 60],
    [60, 60],
  ],
  // 20 s of calls run at the same time: 2 in each 5 s.
  'window-in-flight': [
    [8, 2],
    [2, 2],
  ],
  'failures-charged': [
    [0, 5],
    [5, 5],
  ],
  'one-plan': [
    [5, 20],
    [20, 20],
  ],
  'unshared-limits': [
    [30, 20],
    [20, 20],
  ],
} satisfies Record<CardId, [[number, number], [number, number]]>;

describe.each(labStores)('on $store', ({ start }) => {
  const lab = useTestLab(start);

  test.each(cardIds)(
    '%s: the figure of the mistake is wrong, that of the product is right',
    async (mistake) => {
      const { naive, product, measured } = await lab().showMistake({ mistake, language: 'en' });
      const figures = [naive, product].map(({ figure }) => [figure.value, figure.of]);
      expect(figures).toEqual(expected[mistake]);
      expect([naive.figure.isOk, product.figure.isOk]).toEqual([false, true]);
      expect(product.roundTrips).toBe(1);
      expect(product.keys.length > 0).toBe(mistake !== 'redis-down');
      expect(naive.decisions.map(({ at }) => at)).toEqual(product.decisions.map(({ at }) => at));
      expect(measured).not.toMatch(/NaN|undefined|[{}]/);
      expect(await lab().redis.keys('lab:*')).toEqual([]);
    },
  );

  test('a card measures in the language of its reader', async () => {
    const card = await lab().showMistake({ mistake: 'lost-state', language: 'zh' });
    expect(card.measured).toContain('九分钟内实测放行 90 次');
  });

  test('a card with groups shows whose calls were refused', async () => {
    const { naive, product } = await lab().showMistake({ mistake: 'pulse-starves', language: 'en' });
    const talliesOf = ({ groups }: typeof naive) =>
      groups.map(({ admittedAt, refusedAt }) => [admittedAt.length, refusedAt.length]);
    // The product admits 5 calls of the pulse in 10 s.
    expect(talliesOf(product)).toEqual([
      [5, 295],
      [60, 0],
    ]);
    const [pulse, users] = naive.groups;
    expect([users?.admittedAt.length, users?.refusedAt.length]).toEqual([31, 29]);
    expect(pulse?.refused).toEqual([]);
    expect(users?.refused.reduce((sum, { calls }) => sum + calls, 0)).toBe(29);
    expect(users?.refused[0]).toEqual({
      caller: expect.stringMatching(/^user-\d+$/),
      calls: 3,
    });
    expect(product.groups[1]?.refused).toEqual([]);
  });

  test('while Redis is down, each of two nodes admits half of the limit', async () => {
    const { naive, product, third } = await lab().showMistake({ mistake: 'redis-down', language: 'en' });
    const admittedOf = (side: typeof naive | null) => side?.groups.map(({ admittedAt }) => admittedAt.length);
    expect([naive, product, third].map(admittedOf)).toEqual([
      [50, 50],
      [0, 0],
      [10, 10],
    ]);
  });

  test('a counter per window shows one key for each window', async () => {
    const { naive } = await lab().showMistake({ mistake: 'double-burst', language: 'en' });
    expect(naive.keys.map(({ members }) => members)).toEqual([
      [{ member: '50', value: null }],
      [{ member: '50', value: null }],
    ]);
  });

  test('a caller who keeps retrying sees a countdown that never ends', async () => {
    const { naive } = await lab().showMistake({ mistake: 'self-extending-block', language: 'en' });
    expect(naive.decisions.at(-1)).toMatchObject({ allowed: false, retryAfterMs: 8_000 });
  });

  test('a Redis without slots runs a script over any keys', async () => {
    const { naive, product } = await lab().showMistake({ mistake: 'cross-slot', language: 'en' });
    expect([naive.admitted, product.admitted]).toEqual([5, 5]);
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

  test('without a common hash tag Redis refuses the script, and the product still decides', async () => {
    const { naive, product, measured } = await lab.showMistake({ mistake: 'cross-slot', language: 'en' });
    expect([naive.admitted, product.admitted, naive.figure.value]).toEqual([0, 5, 3]);
    expect(measured).toContain('0 of 8 calls');
    for (const { key, slot } of product.keys) {
      expect(await cluster.nodes[0]?.client.cluster('KEYSLOT', key), key).toBe(slot);
    }
  });

  test.each(['four-commands', 'timestamp-member'] as const)(
    '%s has the same result as on one Redis',
    async (mistake) => {
      const { naive, product } = await lab.showMistake({ mistake, language: 'en' });
      expect([naive.admitted, product.admitted]).toEqual([100, 10]);
    },
  );

  test('races, runs and storages have the same results as on one Redis', async () => {
    const start = { limit: 10, windowMs: 1_000, concurrency: 200 };
    expect(await lab.race({ variant: 'four-commands', ...start })).toMatchObject({ admitted: 200 });
    expect(await lab.race({ variant: 'product', ...start })).toMatchObject({ admitted: 10 });
    const arrivals = [...Array(20).keys()].map((index) => 990 + index);
    const { runs } = await lab.run({
      algorithms: ['fixed-window', 'sliding-log'],
      limit: 10,
      windowMs: 1_000,
      arrivals,
    });
    expect(runs.map(({ worstWindow }) => worstWindow)).toEqual([20, 10]);
    expect((await lab.compareStorages({ hits: 10, windowMs: 1_000 })).storages).toHaveLength(6);
    expect(lab.warnings).toEqual([]);
  });
});
