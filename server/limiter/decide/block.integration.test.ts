import { expect, test, vi } from 'vitest';
import { sameSubject } from '../../../test/call-subjects';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { downStore } from '../../../test/store-commands';
import { rateLimitHeaders } from '../adapters/headers';
import { createLimiter } from '../limiter';
import { byPlan, readPlans } from '../policy/by-plan';
import type { Mode, Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { EXCLUDED, type Subjects } from '../policy/subject';
import { createQueues } from '../queue/queues';
import type { Store } from '../stores/store';
import type { Decision } from './decision';
import { refusalData } from './refusal';

const user = { level: 'user', limit: 3, windowMs: 1_000 } as const;
const globalLevel = { level: 'global', limit: 10, windowMs: 1_000 } as const;

describeStores((current) => {
  /** A limiter on a clock that the test sets, whose levels have modes. */
  function nodeWith(
    { levels, ...declared }: Omit<Policy<unknown>, 'name' | 'message'>,
    store: Store = current.store,
  ) {
    const policy = resolvePolicy({ ...declared, name: 'sale', levels, message: { en: 'Too many.' } }, 'sale');
    const clock = { now: 1_795_226_301_987 };
    const onDecision = vi.fn<(outcome: { decision: Decision | undefined }) => void>();
    const onWarning = vi.fn<(message: string) => void>();
    const limiter = createLimiter({
      ...{
        store,
        secret: 'a secret of at least 32 characters',
        prefix: freshPrefix(),
        onDecision,
        onWarning,
        queues: createQueues,
      },
      clock: () => clock.now,
      timeoutMs: 5_000,
    });
    const subjects = sameSubject({ levels }, 'ada');
    let version = 0;
    return {
      ...{ clock, limiter, policy, subjects, onDecision, onWarning },
      decide: (requestId?: string) => limiter.decide(policy, { subjects, requestId }),
      peek: async () => (await limiter.peek(policy, subjects)).windows,
      setModes(modes: Record<string, Mode>, persons: Parameters<typeof limiter.setOverrides>[1] = []) {
        version += 1;
        const overrides = Object.entries(modes).map(([level, mode]) => ({ level, mode }));
        limiter.setOverrides(
          overrides.map((override) => ({ policy: 'sale', version, ...override })),
          persons,
        );
      },
    };
  }

  const refused = {
    ...{ allowed: false, reason: 'blocked', degraded: false, levels: [] },
    refusedBy: { level: 'user', limit: 3, remaining: 0, retryAfterMs: null },
  };

  test('a blocked level refuses every call, names no time, and charges nothing', async () => {
    const { decide, peek, setModes, onDecision } = nodeWith({ levels: [user, globalLevel] });
    expect(await decide()).toMatchObject({ allowed: true });
    setModes({ user: 'block' });
    for (let made = 0; made < 5; made += 1) expect(await decide()).toMatchObject(refused);
    expect(onDecision).toHaveBeenLastCalledWith(
      expect.objectContaining({ source: 'local', decision: expect.objectContaining({ reason: 'blocked' }) }),
    );
    expect(await peek()).toMatchObject([
      { level: 'user', mode: 'block', used: 1 },
      { level: 'global', mode: 'enforce', used: 1 },
    ]);
  });

  test('its headers have the item of the level without a time, and its error data says null', async () => {
    const { decide, setModes } = nodeWith({ levels: [user, globalLevel] });
    setModes({ user: 'block' });
    const decision = await decide();
    if (decision.allowed) throw new Error('the call was admitted');
    expect(rateLimitHeaders([decision])).toEqual({
      'ratelimit-policy': '"sale:user";q=3;w=1',
      ratelimit: '"sale:user";r=0',
    });
    expect(refusalData(decision)).toEqual({
      ...{ policy: 'sale', level: 'user', algorithm: 'sliding-log', reason: 'blocked' },
      ...{ limit: 3, windowMs: 1_000, remaining: 0, retryAfterMs: null, bannedUntil: null },
    });
  });

  test('a block and its end apply at once, whatever was cached before', async () => {
    const { decide, setModes, limiter, policy, subjects } = nodeWith({ levels: [user] });
    const cached = () => limiter.cachedRefusal(policy, { subjects })?.refusal.reason;
    for (let made = 0; made < 4; made += 1) await decide();
    expect(cached()).toBe('limited');
    setModes({ user: 'block' });
    expect(cached()).toBe('blocked');
    setModes({ user: 'off' });
    expect(cached()).toBeUndefined();
    expect(await decide()).toMatchObject({ allowed: true });
    setModes({ user: 'block' });
    expect(await decide()).toMatchObject(refused);
  });

  test('it adds no violation, and refuses a banned caller as blocked', async () => {
    const punishment = { warnAt: 1, banAt: 2, banMs: 60_000 };
    const { decide, setModes, limiter, policy } = nodeWith({ levels: [{ ...user, limit: 1, punishment }] });
    await decide();
    setModes({ user: 'block' });
    for (let made = 0; made < 5; made += 1) await decide();
    expect(await limiter.bans.count(policy)).toBe(0);
    setModes({});
    expect(await decide()).toMatchObject({ reason: 'limited', refusedBy: { punished: { violations: 1 } } });
    expect(await decide()).toMatchObject({ reason: 'banned' });
    setModes({ user: 'block' });
    expect(await decide()).toMatchObject({ reason: 'blocked' });
  });

  test('it refuses replays and exempt persons too, and leaves a request id unused', async () => {
    const requestId = () => 'id';
    const { decide, setModes, limiter } = nodeWith({ levels: [user, globalLevel], requestId });
    setModes({ user: 'block' });
    expect(await decide('first')).toMatchObject(refused);
    setModes({});
    expect(await decide('first')).toMatchObject({ allowed: true, replayed: false });
    const ref = limiter.pseudonymOf('ada');
    setModes({ user: 'block' }, [{ policy: 'sale', level: 'user', ref, rule: { kind: 'exempt' } }]);
    expect(await decide('first')).toMatchObject(refused);
  });

  test('a level with plans and one of calls in flight are blocked like any other', async () => {
    const plans = byPlan({ free: 3, vip: 6 }, () => 'vip' as const);
    const planned = nodeWith({ levels: [{ ...user, limit: plans }] });
    planned.setModes({ user: 'block' });
    const { limiter, policy, subjects } = planned;
    const read = readPlans(policy.levels, { input: undefined, context: {} as never });
    expect(await limiter.decide(policy, { subjects, plans: read })).toMatchObject({
      reason: 'blocked',
      refusedBy: { limit: 6 },
    });
    const running = nodeWith({ levels: [{ level: 'user', concurrent: 2, leaseMs: 1_000 }] });
    running.setModes({ user: 'block' });
    expect(await running.decide()).toMatchObject({ reason: 'blocked' });
  });

  test('a level that takes no part in a call does not block it', async () => {
    const { limiter, policy, subjects, setModes } = nodeWith({ levels: [user, globalLevel] });
    setModes({ global: 'block' });
    const excluded: Subjects = { ...subjects, global: EXCLUDED };
    expect(await limiter.decide(policy, { subjects: excluded })).toMatchObject({ allowed: true });
    expect(await limiter.decide(policy, { subjects })).toMatchObject({ refusedBy: { level: 'global' } });
  });

  test.each(['closed', 'open', 'local'] as const)(
    'without the store, a policy that is %s is still blocked',
    async (onStoreError) => {
      const { decide, setModes } = nodeWith({ levels: [user], onStoreError }, downStore());
      setModes({ user: 'block' });
      expect(await decide()).toMatchObject(refused);
    },
  );

  test('an override that the policy cannot have keeps its mode', async () => {
    const { decide, limiter, onWarning } = nodeWith({ levels: [user], cost: 2 });
    limiter.setOverrides([{ policy: 'sale', level: 'user', limit: 1, mode: 'block', version: 1 }]);
    expect(await decide()).toMatchObject({ reason: 'blocked', refusedBy: { limit: 3 } });
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(
      'An override is ignored, except for its mode. Policy "sale": user.limit is 1. A call costs 2: allow at least that.',
    );
  });

  test.each(['global', 'user'])(
    'while level %s is blocked no call joins, and waiting tickets keep their places',
    async (level) => {
      const queue = { maxLength: 10, maxWaitMs: 60_000 };
      const sale = nodeWith({
        levels: [
          { ...user, limit: 9 },
          { ...globalLevel, limit: 1, queue },
        ],
        requestId: () => 'id',
      });
      const { limiter, policy, subjects, clock, setModes, decide } = sale;
      const line = limiter.queue(policy);
      const join = (requestId: string, group: string) =>
        line.join({ subjects, requestId, group, payload: '' });
      await decide('filling');
      expect(await join('waiting', 'a')).toMatchObject({ queued: true });
      setModes({ [level]: 'block' });
      for (const [requestId, group] of [
        ['waiting', 'a'],
        ['other', 'b'],
      ] as const)
        expect(await join(requestId, group)).toMatchObject({
          queued: false,
          decision: { reason: 'blocked', refusedBy: { level, retryAfterMs: null } },
        });

      const onTurn = vi.fn(async () => ({ outcome: 'done' }));
      const calls: (() => Promise<void>)[] = [];
      const server = line.serve({
        onTurn,
        timers: {
          now: () => clock.now,
          start(_delayMs, run) {
            calls.push(run);
            return () => undefined;
          },
        },
      });
      clock.now += 2_000;
      await calls.shift()?.();
      expect(onTurn).not.toHaveBeenCalled();
      expect(await line.state()).toMatchObject({ waiting: 1 });
      setModes({});
      clock.now += 1_000;
      await calls.shift()?.();
      expect(onTurn).toHaveBeenCalledOnce();
      await server.stop();
    },
  );
});
