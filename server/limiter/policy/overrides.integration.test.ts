import { expect, test, vi } from 'vitest';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { rateLimitHeaders } from '../adapters/headers';
import { createLimiter } from '../limiter';
import type { Override } from './overrides';
import type { Level } from './policy';
import { resolvePolicy } from './resolve-policy';

const user: Level<unknown> = { level: 'user', limit: 3, windowMs: 1_000 };
const globalLevel: Level<unknown> = { level: 'global', limit: 10, windowMs: 1_000 };

describeStores((current) => {
  /** A limiter on a clock that the test sets, whose level `user` has overrides. */
  function nodeWith(...levels: Level<unknown>[]) {
    const policy = resolvePolicy({ name: 'sale', levels, message: { en: 'Too many.' } }, 'sale');
    const clock = { now: 1_795_226_301_987 };
    const onWarning = vi.fn<(message: string) => void>();
    const limiter = createLimiter({
      ...{
        store: current.store,
        secret: 'a secret of at least 32 characters',
        prefix: freshPrefix(),
        onWarning,
      },
      clock: () => clock.now,
    });
    const subjects = Object.fromEntries(levels.map(({ level }) => [level, level]));
    let version = 0;
    return {
      clock,
      limiter,
      onWarning,
      call: () => limiter.decide(policy, { subjects }),
      calls: async (count: number) => {
        let admitted = 0;
        for (let made = 0; made < count; made += 1) {
          if ((await limiter.decide(policy, { subjects })).allowed) admitted += 1;
        }
        return admitted;
      },
      peek: async () => (await limiter.peek(policy, subjects)).windows,
      setOverride(change: Partial<Override>) {
        version += 1;
        limiter.setOverrides([{ policy: 'sale', level: 'user', version, ...change }]);
      },
      /** Nothing is overridden any more. */
      reset: () => limiter.setOverrides([]),
    };
  }

  test('a raised limit admits at once, also calls with a cached denial', async () => {
    const { calls, setOverride } = nodeWith(user);
    expect(await calls(9)).toBe(3);
    setOverride({ limit: 5 });
    expect(await calls(9)).toBe(2);
  });

  test('a lowered limit admits no call before enough units have left the window', async () => {
    const { clock, calls, call, setOverride } = nodeWith(user);
    for (let made = 0; made < 3; made += 1) {
      expect(await calls(1)).toBe(1);
      clock.now += 100;
    }
    setOverride({ limit: 1 });
    // Hits at 0, 100 and 200, now 300: the last of them leaves at 1200.
    expect(await call()).toMatchObject({
      allowed: false,
      refusedBy: { limit: 1, remaining: 0, retryAfterMs: 900 },
    });
    clock.now += 899;
    expect(await calls(1)).toBe(0);
    clock.now += 1;
    expect(await calls(2)).toBe(1);
  });

  test('a lengthened window is exact after one new window', async () => {
    const { clock, calls, setOverride } = nodeWith(user);
    expect(await calls(3)).toBe(3);
    clock.now += 1_000;
    setOverride({ windowMs: 5_000 });
    const lengthenedAt = clock.now;
    const admitted: number[] = [];
    for (let step = 0; step < 200; step += 1) {
      if ((await calls(1)) === 1) admitted.push(clock.now);
      clock.now += 100;
    }
    for (const until of admitted.filter((at) => at >= lengthenedAt + 5_000)) {
      expect(admitted.filter((at) => at > until - 5_000 && at <= until).length).toBeLessThanOrEqual(3);
    }
    expect(admitted.filter((at) => at >= lengthenedAt + 5_000).length).toBeGreaterThanOrEqual(9);
  });

  test.each(['token-bucket', 'leaky-bucket'] as const)(
    'a lowered limit of a %s: what is out comes back at the former rate until the next admitted call, then at the new one',
    async (algorithm) => {
      const { clock, calls, peek, setOverride } = nodeWith({ ...user, algorithm, limit: 10 });
      expect(await calls(11)).toBe(10);
      setOverride({ limit: 2 });
      // 10 units a second come back, and 9 have to: 1 ms earlier the call is refused.
      clock.now += 800;
      expect(await peek()).toMatchObject([{ used: 2, retryAfterMs: 100 }]);
      clock.now += 99;
      expect(await calls(1)).toBe(0);
      clock.now += 1;
      expect(await calls(1)).toBe(1);
      // Now 2 units a second come back.
      expect(await peek()).toMatchObject([{ used: 2, retryAfterMs: 500 }]);
      clock.now += 499;
      expect(await calls(1)).toBe(0);
      clock.now += 1;
      expect(await calls(1)).toBe(1);
    },
  );

  test('a shortened window does not count older hits', async () => {
    const { clock, calls, setOverride } = nodeWith({ ...user, windowMs: 60_000 });
    expect(await calls(9)).toBe(3);
    clock.now += 500;
    setOverride({ windowMs: 500 });
    expect(await calls(9)).toBe(3);
  });

  test('a reset restores the declared limit', async () => {
    const { clock, calls, peek, setOverride, reset } = nodeWith(user);
    setOverride({ limit: 5, mode: 'shadow' });
    expect(await calls(9)).toBe(9);
    reset();
    clock.now += 1_000;
    expect(await calls(9)).toBe(3);
    expect(await peek()).toMatchObject([{ limit: 3, mode: 'enforce' }]);
  });

  test('a shadow level refuses no call, charges what fits, and reports what it would refuse', async () => {
    const { call, peek, setOverride } = nodeWith(user, globalLevel);
    setOverride({ mode: 'shadow' });
    const shadowRefusals: (readonly string[])[] = [];
    for (let made = 0; made < 5; made += 1) shadowRefusals.push((await call()).shadowRefusals);
    expect(shadowRefusals).toEqual([[], [], [], ['user'], ['user']]);
    expect(await peek()).toMatchObject([
      { level: 'user', mode: 'shadow', used: 3, remaining: 0 },
      { level: 'global', mode: 'enforce', used: 5 },
    ]);
  });

  test('a shadow level is not charged by a call that another level refuses', async () => {
    const { calls, peek, setOverride } = nodeWith(user, { ...globalLevel, limit: 2 });
    setOverride({ mode: 'shadow' });
    expect(await calls(9)).toBe(2);
    expect(await peek()).toMatchObject([
      { level: 'user', used: 2 },
      { level: 'global', used: 2 },
    ]);
  });

  test('a level that is off counts nothing', async () => {
    const { calls, peek, setOverride } = nodeWith(user, globalLevel);
    setOverride({ mode: 'off' });
    expect(await calls(20)).toBe(10);
    expect(await peek()).toMatchObject([
      { level: 'user', mode: 'off', used: 0 },
      { level: 'global', used: 10 },
    ]);
  });

  test('a policy whose only level is off admits without the store', async () => {
    const { calls, peek, setOverride } = nodeWith(user);
    setOverride({ mode: 'off' });
    expect(await calls(9)).toBe(9);
    expect(await peek()).toMatchObject([{ used: 0 }]);
  });

  test('an override of a level that does not exist is reported at each change, with the names that exist', async () => {
    const { calls, setOverride, onWarning } = nodeWith(user, globalLevel);
    for (let times = 1; times <= 2; times += 1) {
      setOverride({ level: 'usr', limit: 1 });
      expect(await calls(1)).toBe(1);
      expect(await calls(1)).toBe(times === 1 ? 1 : 0);
      expect(onWarning).toHaveBeenCalledTimes(times);
    }
    expect(onWarning).toHaveBeenLastCalledWith(
      'The override of "sale:usr" is ignored: there is no such level. Use one of sale:user, sale:global.',
    );
  });

  test('an override of a policy that is not used yet is kept for it', async () => {
    const { limiter, onWarning } = nodeWith(user);
    limiter.setOverrides([{ policy: 'later', level: 'user', limit: 1, version: 1 }]);
    const later = resolvePolicy({ name: 'later', levels: [user], message: { en: 'Too many.' } }, 'later');
    const decide = () => limiter.decide(later, { subjects: { user: 'ada' } });
    expect([await decide(), await decide()]).toMatchObject([{ allowed: true }, { allowed: false }]);
    expect(onWarning).not.toHaveBeenCalled();
  });

  test.each(['shadow', 'off'] as const)('a level in mode %s is not in the headers', async (mode) => {
    const { call, setOverride } = nodeWith(user, globalLevel);
    setOverride({ mode });
    for (let made = 0; made < 4; made += 1) await call();
    expect(rateLimitHeaders([await call()])).toMatchObject({ 'ratelimit-policy': '"sale:global";q=10;w=1' });
  });
});
