import { randomUUID } from 'node:crypto';
import { Redis as Valkey } from 'iovalkey';
import { createClient } from 'redis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import { ioredisStore } from '../limiter/ioredis-store';
import { createQueues } from '../limiter/queues';
import type { Store } from '../limiter/store';
import { forwardedAddress, rateLimit } from './fetch';
import { memoryStore } from './memory-store';
import { createLimiter } from './named-limiter';
import { definePolicy } from './named-policy';
import { nodeRedisStore } from './node-redis-store';

const secret = 'a secret of at least 32 characters';
const createTestLimiter = (store: Store) =>
  createLimiter({ store, secret, prefix: freshPrefix(), queues: createQueues });

async function connectIoredis(): Promise<Store> {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  return ioredisStore(redis);
}

const stores = [
  { client: 'ioredis', connect: connectIoredis },
  {
    client: 'iovalkey',
    async connect() {
      const valkey = new Valkey(await redisUrl(), { lazyConnect: true, enableOfflineQueue: false });
      await valkey.connect();
      onTestFinished(() => valkey.disconnect());
      return ioredisStore(valkey);
    },
  },
  {
    client: 'ioredis with a keyPrefix',
    async connect() {
      const valkey = new Valkey(await redisUrl(), { lazyConnect: true, keyPrefix: `${randomUUID()}:` });
      await valkey.connect();
      onTestFinished(() => valkey.disconnect());
      return ioredisStore(valkey);
    },
  },
  {
    client: 'node-redis',
    async connect() {
      const client = createClient({ url: await redisUrl(), disableOfflineQueue: true });
      client.on('error', () => undefined);
      await client.connect();
      onTestFinished(() => client.destroy());
      return nodeRedisStore(client);
    },
  },
  { client: 'memory', connect: async () => memoryStore() },
];

describe.each(stores)('on $client', ({ connect }) => {
  const policy = definePolicy({
    name: 'greet',
    levels: [
      { level: 'user', limit: 3, windowMs: 60_000, punishment: { warnAt: 1, banAt: 2, banMs: 60_000 } },
      { level: 'global', limit: 100, windowMs: 60_000 },
    ],
  });

  test('of parallel calls exactly the limit is admitted; peek, bans and clear reach the same windows', async () => {
    const limiter = createTestLimiter(await connect());
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

  test('a call with a charged request id is a replay', async () => {
    const limiter = createTestLimiter(await connect());
    const call = { user: 'ada', requestId: 'ada:1' };
    expect(await limiter.check(policy, call)).toMatchObject({ replayed: false });
    expect(await limiter.check(policy, call)).toMatchObject({ replayed: true });
  });

  test('a call that settles returns its units', async () => {
    const limiter = createTestLimiter(await connect());
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
    const limiter = createTestLimiter(await connect());
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

describe('a Fetch handler', () => {
  const policy = definePolicy({ name: 'page', levels: [{ level: 'ip', limit: 1, windowMs: 60_000 }] });
  const subjects = (request: Request) => ({ ip: forwardedAddress(request, { proxies: 1 }) ?? 'unknown' });
  const request = (forwarded: string) =>
    new Request('http://example.com/', { headers: { 'x-forwarded-for': forwarded } });

  test('a refusal is problem details, and the handler does not run', async () => {
    let runs = 0;
    const refused: string[] = [];
    const handler = rateLimit({
      limiter: createTestLimiter(await connectIoredis()),
      policy,
      subjects,
      onRefused: (decision) => refused.push(decision.refusedBy.level),
    })(() => {
      runs += 1;
      return Response.redirect('http://example.com/next');
    });
    const admitted = await handler(request('192.0.2.1'));
    expect(admitted.status).toBe(302);
    expect(admitted.headers.get('ratelimit')).toMatch(/^"page:ip";r=0;t=60$/);

    const answer = await handler(request('192.0.2.1'));
    expect(answer.status).toBe(429);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await answer.json()).toMatchObject({ status: 429, rateLimit: { policy: 'page', level: 'ip' } });
    expect([runs, refused]).toEqual([1, ['ip']]);
  });

  test.each([
    ['192.0.2.1', 1, '192.0.2.1'],
    ['198.51.100.7, 192.0.2.1', 1, '192.0.2.1'],
    ['198.51.100.7, 192.0.2.1, 10.0.0.1', 2, '192.0.2.1'],
    ['192.0.2.1', 2, undefined],
    ['', 1, undefined],
  ])('X-Forwarded-For %s behind %i proxies is %s', (forwarded, proxies, expected) => {
    expect(forwardedAddress(request(forwarded), { proxies })).toBe(expected);
  });
});
