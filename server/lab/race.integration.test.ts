import { describe, expect, test } from 'vitest';
import { measuredStores, useTestLab } from '../../test/lab';

const tenTimes = [...Array(10).keys()];

describe.each(measuredStores)('on $store', ({ start }) => {
  const lab = useTestLab(start);

  test.each(tenTimes)('four commands admit every concurrent call (%d)', async () => {
    const race = await lab().race({ variant: 'four-commands', limit: 10, windowMs: 1_000, concurrency: 200 });
    expect(race).toMatchObject({ admitted: 200, limit: 10, refused: 0, logged: 200, roundTrips: 4 });
  });

  test.each(tenTimes)('timestamps as members: the log keeps one hit of each millisecond (%d)', async () => {
    const race = await lab().race({
      variant: 'timestamp-member',
      limit: 10,
      windowMs: 1_000,
      concurrency: 200,
    });
    expect(race).toMatchObject({ admitted: 200, limit: 10, refused: 0, logged: 1, roundTrips: 1 });
  });

  test.each(tenTimes)('the product admits the limit and records each admission (%d)', async () => {
    const race = await lab().race({ variant: 'product', limit: 10, windowMs: 1_000, concurrency: 200 });
    expect(race).toMatchObject({ admitted: 10, limit: 10, refused: 190, logged: 10, roundTrips: 1 });
  });

  test('500 concurrent calls with a limit of one and a window of 1 ms', async () => {
    const start = { limit: 1, windowMs: 1, concurrency: 500 };
    const admitted = async (variant: 'four-commands' | 'timestamp-member' | 'product') =>
      (await lab().race({ variant, ...start })).admitted;
    expect(await admitted('four-commands')).toBe(500);
    expect(await admitted('timestamp-member')).toBe(500);
    expect(await admitted('product')).toBe(1);
  });

  test('fewer calls than the limit are all admitted by each variant', async () => {
    for (const variant of ['four-commands', 'timestamp-member', 'product'] as const) {
      const race = await lab().race({ variant, limit: 5, windowMs: 1_000, concurrency: 5 });
      expect(race).toMatchObject({ admitted: 5, refused: 0 });
    }
  });

  test('the reply shows the logs as Redis stores them, and the race deletes them', async () => {
    const { keys } = await lab().race({
      variant: 'four-commands',
      limit: 1,
      windowMs: 1_000,
      concurrency: 3,
    });
    expect(keys).toMatchObject([
      {
        type: 'zset',
        length: 3,
        members: [
          { member: '1767225600000-0', value: '1767225600000' },
          { member: '1767225600000-1', value: '1767225600000' },
          { member: '1767225600000-2', value: '1767225600000' },
        ],
        meaning: null,
      },
    ]);
    expect(await lab().redis.keys('lab:{????????}:*')).toEqual([]);
  });
});
