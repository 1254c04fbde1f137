import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labStores, startTestLab, type TestLab, useTestLab } from '../../../test/lab';
import { type RedisCluster, startRedisCluster } from '../../../test/services/redis-cluster';
import { cardIds } from './cards';
import { measuredFigures } from './measured-figures';

describe.each(labStores)('on $store', ({ start }) => {
  const lab = useTestLab(start);

  test.each(cardIds)(
    '%s: the figure of the mistake is wrong, that of the product is right',
    async (mistake) => {
      const { naive, product, measured } = await lab().showMistake({ mistake, language: 'en' });
      const figures = [naive, product].map(({ figure }) => [figure.value, figure.of]);
      const { naive: wrong, product: right } = measuredFigures[mistake];
      expect(figures).toEqual([wrong, right]);
      expect([naive.figure.isOk, product.figure.isOk]).toEqual([false, true]);
      expect(product.roundTrips).toBe(1);
      expect(product.keys.length > 0).toBe(mistake !== 'redis-down');
      expect(naive.decisions.map(({ at }) => at)).toEqual(product.decisions.map(({ at }) => at));
      expect(measured).not.toMatch(/NaN|undefined|[{}]/);
      expect(await lab().redis.keys('lab:*')).toEqual([]);
    },
  );

  test('regression: of a hundred calls at once no more pass than there are, and later ones are refused', async () => {
    const { measured } = await lab().showMistake({ mistake: 'get-then-incr', language: 'en' });
    expect(measured).toContain('100 of 100 calls at once pass, and half a minute later 10 of 10 are refused');
  });

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
