import { describe, expect, test } from 'vitest';
import { findLayersPreset, generateLayeredCalls } from '../../app/_lab/layers/layered-calls';
import { measuredStores, useTestLab } from '../../test/lab';

describe.each(measuredStores)('on $store', ({ start }) => {
  const lab = useTestLab(start);

  test('each Redis type holds all hits, and the packed log is the smallest', async () => {
    const { storages } = await lab().compareStorages({ hits: 1_000, windowMs: 60_000 });
    expect(storages.map(({ storage, key }) => [storage, key.type, key.length])).toEqual([
      // 1 000 timestamps of 13 digits, and 999 commas.
      ['string', 'string', 13_999],
      ['list', 'list', 1_000],
      ['hash', 'hash', 1_000],
      ['set', 'set', 1_000],
      ['zset', 'zset', 1_000],
      // A header of 30 bytes, 1 000 hits of 6.
      ['packed', 'string', 6_030],
    ]);
    const bytes = storages.map((stored) => stored.bytes);
    expect(Math.min(...bytes)).toBe(bytes.at(-1));
    expect(bytes.at(-1)).toBeLessThan(8_000);
    const read = Object.fromEntries(storages.map(({ storage, bytesRead }) => [storage, bytesRead]));
    expect(read).toMatchObject({ string: 13_999, list: 17, zset: 5 });
    expect(read.packed).toBeLessThan(40);
    // 1 000 members such as 1767225600000-0: 13 digits, a hyphen, and 10 x 1 + 90 x 2 + 900 x 3 digits.
    expect(read.set).toBe(14_000 + 2_890);
  });

  test('a log that Redis cannot query by window is read whole, so its cost grows with its size', async () => {
    const { sizes, storages } = await lab().measureGrowth({});
    expect(sizes).toEqual([10, 100, 1_000, 5_000]);
    const growth = Object.fromEntries(
      storages.map(({ storage, costs }) => {
        const [least, , , most] = costs;
        for (const { micros } of costs) expect(micros).toBeGreaterThan(0);
        return [storage, Math.round((most?.bytesRead ?? 0) / (least?.bytesRead ?? 1))];
      }),
    );
    // 500 times as many hits. The list and the sorted set read a number and a member.
    for (const storage of ['string', 'hash', 'set']) expect(growth[storage]).toBeGreaterThan(400);
    for (const storage of ['list', 'zset', 'packed']) expect(growth[storage]).toBeLessThan(3);
    const microsOf = (name: string) =>
      storages.find(({ storage }) => storage === name)?.costs.at(-1)?.micros ?? 0;
    expect(microsOf('hash')).toBeGreaterThan(10 * microsOf('zset'));
  });

  test('one decision takes four round trips by commands, six with a lock, one by script', async () => {
    const { variants, decisions } = await lab().measureRoundTrips({});
    expect(decisions).toBe(200);
    expect(variants.map(({ variant, roundTrips }) => [variant, roundTrips])).toEqual([
      ['commands', 4],
      ['lock', 6],
      ['script', 1],
    ]);
    for (const { commands, roundTrips, medianMicros, p99Micros } of variants) {
      expect(commands).toHaveLength(roundTrips);
      expect(medianMicros).toBeGreaterThan(0);
      expect(p99Micros).toBeGreaterThanOrEqual(medianMicros);
    }
  });

  test('a lease keeps the limit with few commands, and saves little where the limit is small', async () => {
    const { nodes, forMs, runs } = await lab().compareLeases({});
    expect({ nodes, forMs }).toEqual({ nodes: 3, forMs: 500 });
    expect(runs.map(({ limit, isLeased }) => [limit, isLeased])).toEqual([
      ...[
        [100, false],
        [100, true],
      ],
      ...[
        [1_000, false],
        [1_000, true],
      ],
    ]);
    for (const { limit, worstWindow, isLeased, commandsPer1000 } of runs) {
      expect(worstWindow).toBeLessThanOrEqual(limit);
      if (!isLeased) expect(commandsPer1000).toBe(1_000);
    }
    const [, small, single, large] = runs;
    expect(small?.commandsPer1000).toBeGreaterThan(500);
    // 178, or 201 on a slow machine, which may return a batch and take another.
    expect(large?.commandsPer1000).toBeLessThan(225);
    expect(single?.worstWindow).toBeGreaterThan(0.99 * 1_000);
    expect(large?.worstWindow).toBeGreaterThan(0.9 * 1_000);
  });

  test('one decision over three layers charges no refused call, three decisions do', async () => {
    // One address sends calls of three users: its queue admits 6, the API 4, each user 1.
    const calls = [0, 0, 1, 1, 1, 2, 2, 2].map((user, index) => ({ at: index, address: 7, user }));
    const { together, apart } = await lab().compareLayers({
      calls,
      limits: {
        gateway: { limit: 6, windowMs: 10_000 },
        api: { limit: 4, windowMs: 10_000 },
        user: { limit: 1, windowMs: 10_000 },
      },
    });
    expect(together).toMatchObject({
      admitted: 3,
      stopped: { gateway: 0, api: 0, user: 5 },
      chargedThenRefused: { gateway: 0, api: 0, user: 0 },
      roundTrips: 8,
    });
    // For user 2, calls that a later layer refused have filled the API and then the gateway.
    expect(apart.decisions.map(({ stoppedBy }) => stoppedBy)).toEqual([
      null,
      'user',
      null,
      'user',
      'api',
      'api',
      'gateway',
      'gateway',
    ]);
    expect(apart).toMatchObject({
      admitted: 2,
      stopped: { gateway: 2, api: 2, user: 2 },
      chargedThenRefused: { gateway: 4, api: 2, user: 0 },
      // 8 at the gateway, 6 at the api, 4 at their users.
      roundTrips: 18,
    });
    expect(apart.decisions[1]).toMatchObject({
      charged: ['gateway', 'api'],
      retryAfterMs: 9_999,
      delayMs: 0,
    });
    // 10 000 / 6 ms after the first, which came 2 ms earlier.
    expect(apart.decisions[2]?.delayMs).toBe(3_332);
    expect(together.decisions[2]?.delayMs).toBe(1_665);
  });

  test('three levels of a tutorial: the API refuses a crowd, the user’s own limit a greedy user', async () => {
    const { flood, windowMs, limits } = findLayersPreset('three-levels');
    const limitOf = (limit: number) => ({ limit, windowMs });
    const { together, apart } = await lab().compareLayers({
      calls: generateLayeredCalls(flood).map(([at, address, user]) => ({ at, address, user })),
      limits: { gateway: limitOf(limits.gateway), api: limitOf(limits.api), user: limitOf(limits.user) },
    });
    // Of the 30 calls of user 0, 16 come after the tenth admission and before the API is full.
    expect(together).toMatchObject({ admitted: 1_000, stopped: { gateway: 0, user: 16, api: 184 } });
    // Refused calls of user 0 use up the limit of the API.
    expect(apart.admitted).toBe(1_000 - apart.chargedThenRefused.api);
    expect(apart.chargedThenRefused.api).toBeGreaterThan(0);
  });

  test('the ladder of a tutorial: five calls pass, two are refused, two are warned, the tenth is banned', async () => {
    const { calls } = await lab().runLadder({});
    expect(calls.map(({ outcome, violations }) => [outcome, violations])).toEqual([
      ...Array.from({ length: 5 }, () => ['admitted', 0]),
      ['refused', 1],
      ['refused', 2],
      ['warned', 3],
      ['warned', 4],
      ['banned', 5],
    ]);
    // The window of the first call ends at 60 s, and a ban lasts 30 minutes.
    expect(calls.slice(-2).map(({ retryAfterMs }) => retryAfterMs)).toEqual([52_000, 1_800_000]);
  });

  test('no key remains', async () => {
    expect(await lab().redis.keys('*')).toEqual([]);
    expect(lab().warnings).toEqual([]);
  });
});
