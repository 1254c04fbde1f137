import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { redisClients } from '../../test/limiter-clients';
import { freshPrefix } from '../../test/redis';
import { redisUrl } from '../../test/services/worker-services';
import { createQueues } from '../limiter/queues';
import { memoryStore } from './memory-store';
import { createLimiter } from './named-limiter';
import { definePolicy } from './named-policy';

const secret = 'a secret of at least 32 characters';

const clients = [
  ...redisClients,
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
