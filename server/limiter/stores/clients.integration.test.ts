import { createClient, RESP_TYPES } from 'redis';
import { createClient as createClient5, RESP_TYPES as RESP_TYPES5 } from 'redis-5';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { redisClients, restClient } from '../../../test/limiter-clients';
import { freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { createQueues } from '../queue/queues';
import { memoryStore } from './memory-store';
import { nodeRedisStore } from './node-redis-store';

const secret = 'a secret of at least 32 characters';

const clients = [
  ...redisClients,
  restClient,
  { client: 'memory', connect: async () => ({ store: memoryStore(), close: () => undefined }) },
];

describe.each(clients)('on $client', ({ connect }) => {
  async function createTestLimiter() {
    const { store, close } = await connect(await redisUrl());
    onTestFinished(close);
    return createLimiter({ store, secret, prefix: freshPrefix(), queues: createQueues });
  }

  const policy = definePolicy({
    name: 'greet',
    levels: [
      { level: 'user', limit: 3, windowMs: 60_000, punishment: { warnAt: 1, banAt: 2, banMs: 60_000 } },
      { level: 'global', limit: 100, windowMs: 60_000 },
    ],
  });

  test('of parallel calls exactly the limit is admitted; peek, bans and clear reach the same windows', async () => {
    const limiter = await createTestLimiter();
    await limiter.ready();
    const calls = Array.from({ length: 5 }, () => limiter.check(policy, { user: 'ada' }));
    expect((await Promise.all(calls)).map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    const { windows } = await limiter.peek(policy, { user: 'ada' });
    expect(windows.map(({ level, used }) => [level, used])).toEqual([
      ['user', 3],
      ['global', 3],
    ]);

    const [ban] = await limiter.bans.list(policy);
    expect(ban).toMatchObject({ policy: 'greet', level: 'user', violations: 2 });
    expect(await limiter.bans.lift(policy, ban?.banId ?? '')).toBe(true);
    await limiter.clear(policy, { level: 'user', subject: 'ada' });
    expect(await limiter.check(policy, { user: 'ada' })).toMatchObject({ allowed: true });
  });

  test('a clock with fractions is rounded down', async () => {
    const { store, close } = await connect(await redisUrl());
    onTestFinished(close);
    let now = 1_800_000_000_000.75;
    const limiter = createLimiter({ store, secret, prefix: freshPrefix(), clock: () => now });
    await limiter.ready();
    const call = () => limiter.check(policy, { user: 'ada' });
    expect(await call()).toMatchObject({ allowed: true, now: 1_800_000_000_000 });
    now += 0.5;
    expect(await call()).toMatchObject({ allowed: true, now: 1_800_000_000_001 });
  });

  test.each([-1, -0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'with a clock that returns %d, ready() and every call throw an error that names it',
    async (time) => {
      const { store, close } = await connect(await redisUrl());
      onTestFinished(close);
      const limiter = createLimiter({ store, secret, prefix: freshPrefix(), clock: () => time });
      const message = `createLimiter: clock is ${time}. Return epoch ms, as Date.now does.`;
      await expect(limiter.ready()).rejects.toThrow(message);
      await expect(limiter.check(policy, { user: 'ada' })).rejects.toThrow(message);
    },
  );

  test('a call with a charged request id is a replay', async () => {
    const limiter = await createTestLimiter();
    const call = { user: 'ada', requestId: 'ada:1' };
    expect(await limiter.check(policy, call)).toMatchObject({ replayed: false });
    expect(await limiter.check(policy, call)).toMatchObject({ replayed: true });
  });

  test('a call that settles returns its units', async () => {
    const limiter = await createTestLimiter();
    const tokens = definePolicy({
      name: 'tokens',
      levels: [{ level: 'user', limit: 100, windowMs: 60_000 }],
      cost: 60,
      settle: (outcome) => (outcome.ok ? Number(outcome.data) : 0),
    });
    const decision = await limiter.check(tokens, { user: 'ada' });
    const reservation = decision.allowed ? decision.reservation : undefined;
    expect(reservation && (await limiter.settle(reservation, { ok: true, data: 7 }))).toBe(true);
    const { windows } = await limiter.peek(tokens, { user: 'ada' });
    expect(windows).toMatchObject([{ used: 7, remaining: 93 }]);
  });

  test('a caller of a full window waits in the queue, and its turn is charged', async () => {
    const sale = definePolicy({
      name: 'sale',
      levels: [
        { level: 'user', limit: 5, windowMs: 60_000 },
        { level: 'global', limit: 1, windowMs: 300, queue: { maxLength: 10, maxWaitMs: 60_000 } },
      ],
      requestId: () => undefined,
    });
    const limiter = await createTestLimiter();
    await limiter.ready();
    const queue = limiter.queue(sale);
    const join = (user: string) =>
      queue.join({ subjects: { user }, requestId: user, group: 'tea', payload: user });
    expect(await join('ada')).toMatchObject({ queued: false, decision: { allowed: true } });
    expect(await join('bob')).toMatchObject({ queued: true, ticket: { position: 1 } });
    const server = queue.serve({ onTurn: async ({ payload }) => ({ outcome: `sold to ${payload}` }) });
    onTestFinished(() => server.stop());
    const mine = async () => (await queue.mine({ subjects: { user: 'bob' }, groups: ['tea'] })).tickets;
    await vi.waitFor(async () => expect(await mine()).toMatchObject([{ outcome: 'sold to bob' }]), 25_000);
    expect(await limiter.check(sale, { user: 'bob', requestId: 'bob' })).toMatchObject({ replayed: true });
  });
});

test.each([
  ['node-redis 6', { createClient, types: RESP_TYPES }],
  ['node-redis 5', { createClient: createClient5, types: RESP_TYPES5 }],
])('%s: a type mapping of the client changes nothing for the limiter', async (_client, module) => {
  const { BLOB_STRING, NUMBER, SIMPLE_STRING } = module.types;
  const typeMapping = { [BLOB_STRING]: Buffer, [SIMPLE_STRING]: Buffer, [NUMBER]: String };
  const options = { url: await redisUrl(), disableOfflineQueue: true, commandOptions: { typeMapping } };
  const client = (module.createClient as typeof createClient)(options);
  await client.connect();
  onTestFinished(() => client.destroy());
  const mapped = client.withTypeMapping(typeMapping);
  for (const store of [nodeRedisStore(client), nodeRedisStore(mapped as never)]) {
    const limiter = createLimiter({ store, secret, prefix: freshPrefix() });
    await limiter.ready();
    const policy = definePolicy({ name: 'one', levels: [{ level: 'user', limit: 1, windowMs: 60_000 }] });
    const call = async () => (await limiter.check(policy, { user: 'ada' })).allowed;
    expect([await call(), await call()]).toEqual([true, false]);
    expect(await limiter.bans.count(policy)).toBe(0);
  }
  expect(await client.echo('text')).toBeInstanceOf(Buffer);
});
