import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { sameSubject } from '../../../test/call-subjects';
import { createOracle } from '../../../test/limiter-oracle';
import { describeStores } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { rateLimitHeaders } from '../adapters/headers';
import { createLimiter } from '../limiter';
import { byPlan, readPlans } from '../policy/by-plan';
import type { PersonOverride, PersonRule } from '../policy/overrides';
import type { Level } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';

const START = 1_795_226_300_000;

interface Shopper {
  plan: 'free' | 'vip';
}

const planned = {
  limit: byPlan({ free: 3, vip: 6 }, ({ context }: { context: Shopper }) => context.plan),
  windowMs: 1_000,
};

describeStores((current) => {
  /** A limiter on a clock that the test sets, with rules for subjects of the first level. */
  function nodeWith(...levels: Level<Shopper>[]) {
    const policy = resolvePolicy({ name: 'sale', levels, message: { en: 'Too many.' } }, 'sale');
    const clock = { now: START };
    const onWarning = vi.fn<(message: string) => void>();
    const limiter = createLimiter({
      ...{
        store: current.store,
        secret: 'a secret of at least 32 characters',
        prefix: freshPrefix(),
        onWarning,
      },
      clock: () => clock.now,
      // A busy machine may delay a reply of the stores in WebAssembly.
      timeoutMs: 5_000,
    });
    let version = 0;
    const optionsOf = (subject: string, plan: string) => ({
      subjects: sameSubject({ levels }, subject),
      plans: readPlans(policy.levels, { input: undefined, context: { plan } as Shopper }),
    });
    const decide = (subject: string, plan = 'free') => limiter.decide(policy, optionsOf(subject, plan));
    return {
      ...{ clock, limiter, policy, onWarning, decide },
      peek: async (subject: string, plan = 'free') =>
        (await limiter.peek(policy, optionsOf(subject, plan).subjects, optionsOf(subject, plan))).windows,
      async admitted(count: number, subject: string, plan?: string) {
        let admitted = 0;
        for (let made = 0; made < count; made += 1) if ((await decide(subject, plan)).allowed) admitted += 1;
        return admitted;
      },
      /** Replaces the rules, by subject or range. */
      setRules(rules: Record<string, PersonRule>, override: { limit?: number } = {}) {
        version += 1;
        const { name, levels: all } = policy;
        const level = all[0]?.level ?? '';
        const persons = Object.entries(rules).map(([subject, rule]): PersonOverride => {
          const ref = subject.includes('/') ? subject : limiter.pseudonymOf(subject);
          return { policy: name, level, ref, rule };
        });
        limiter.setOverrides([{ policy: name, level, version, ...override }], persons);
      },
    };
  }

  const user: Level<Shopper> = { level: 'user', limit: 3, windowMs: 1_000 };

  test('each plan has its own limit, in decisions, headers and windows', async () => {
    const { admitted, decide, peek } = nodeWith({ ...user, ...planned });
    expect(await admitted(9, 'ada', 'free')).toBe(3);
    expect(await admitted(9, 'bob', 'vip')).toBe(6);
    expect(await peek('bob', 'vip')).toMatchObject([{ limit: 6, used: 6, personal: true }]);
    expect((await peek('ada', 'free'))[0]).not.toHaveProperty('personal');
    expect(rateLimitHeaders([await decide('bob', 'vip')])).toMatchObject({
      'ratelimit-policy': '"sale:user";q=6;w=1',
    });
  });

  test('a plan that changes counts at once, although the former numbers were denied from the cache', async () => {
    const { admitted } = nodeWith({ ...user, ...planned });
    expect(await admitted(9, 'ada', 'free')).toBe(3);
    expect(await admitted(9, 'ada', 'vip')).toBe(3);
    expect(await admitted(9, 'ada', 'free')).toBe(0);
  });

  test('an unknown plan has the numbers of the first plan, and is reported once', async () => {
    const { admitted, onWarning } = nodeWith({ ...user, ...planned });
    expect(await admitted(9, 'ada', 'gold')).toBe(3);
    expect(await admitted(9, 'bob', 'toString')).toBe(3);
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('They have the plan "free"'));
  });

  test('an override of the level replaces the limits of all plans, and a rule for a subject replaces both', async () => {
    const { admitted, setRules } = nodeWith({ ...user, ...planned });
    setRules({ ada: { kind: 'numbers', limit: 4 } }, { limit: 2 });
    expect(await admitted(9, 'bob', 'vip')).toBe(2);
    expect(await admitted(9, 'ada', 'vip')).toBe(4);
  });

  test('a rule for one subject changes the numbers of this subject alone', async () => {
    const { admitted, setRules, peek } = nodeWith(user);
    setRules({ ada: { kind: 'numbers', limit: 5, windowMs: 2_000 } });
    expect(await admitted(9, 'ada')).toBe(5);
    expect(await admitted(9, 'bob')).toBe(3);
    expect(await peek('ada')).toMatchObject([{ limit: 5, windowMs: 2_000, personal: true, version: 1 }]);
    setRules({});
    expect(await peek('ada')).toMatchObject([{ limit: 3, windowMs: 1_000, version: 2 }]);
  });

  test('a level takes no part in the calls of an exempt subject, and the others do', async () => {
    const { admitted, setRules, decide, peek } = nodeWith(user, {
      level: 'global',
      limit: 4,
      windowMs: 1_000,
    });
    setRules({ ada: { kind: 'exempt' } });
    const decision = await decide('ada');
    expect(decision).toMatchObject({ allowed: true, levels: [{ level: 'global' }] });
    expect(await admitted(9, 'ada')).toBe(3);
    expect(await peek('ada')).toMatchObject([
      { level: 'user', mode: 'off', used: 0, personal: true },
      { level: 'global', used: 4 },
    ]);
  });

  test('a denied subject is refused until the instant, without the store', async () => {
    const { clock, decide, setRules, peek, limiter, policy } = nodeWith(user);
    const until = START + 60_000;
    setRules({ ada: { kind: 'deny', until } });
    const refusal = {
      ...{ allowed: false, reason: 'banned', now: START, degraded: false },
      refusedBy: { level: 'user', limit: 3, remaining: 0, retryAfterMs: 60_000 },
    };
    expect(await decide('ada')).toMatchObject(refusal);
    expect(limiter.cachedRefusal(policy, { subjects: { user: 'ada' } })?.refusal).toMatchObject(refusal);
    expect(await peek('ada')).toMatchObject([{ used: 0, remaining: 0, bannedUntil: until }]);
    expect(await decide('bob')).toMatchObject({ allowed: true });
    clock.now = until;
    expect(await decide('ada')).toMatchObject({ allowed: true });
  });

  test('the narrowest range of an address counts, and a rule for the address goes before every range', async () => {
    const { admitted, setRules } = nodeWith({ ...user, level: 'ip' });
    setRules({
      '10.0.0.0/8': { kind: 'numbers', limit: 1 },
      '10.1.0.0/16': { kind: 'numbers', limit: 2 },
      '10.1.2.3': { kind: 'numbers', limit: 5 },
    });
    expect(await admitted(9, '10.9.9.9')).toBe(1);
    expect(await admitted(9, '10.1.9.9')).toBe(2);
    expect(await admitted(9, '10.1.2.3')).toBe(5);
    expect(await admitted(9, '11.1.2.3')).toBe(3);
  });

  test('numbers that the policy cannot have are ignored and reported, and the plan of the person stays', async () => {
    const { admitted, setRules, onWarning } = nodeWith({ ...user, ...planned, algorithm: 'token-bucket' });
    setRules({ ada: { kind: 'numbers', limit: 1_000_000, windowMs: 366 * 86_400_000 } });
    expect(await admitted(9, 'ada', 'vip')).toBe(6);
    expect(await admitted(9, 'bob', 'free')).toBe(3);
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('user.limit is 1000000'));
  });

  test('rules for a level that the policy does not have are reported at each change, with the names that exist', async () => {
    const { limiter, policy, onWarning, decide } = nodeWith(user);
    const rule = { kind: 'exempt' as const };
    const ref = limiter.pseudonymOf('ada');
    for (let times = 1; times <= 2; times += 1) {
      limiter.setOverrides([], [{ policy: policy.name, level: 'usr', ref, rule }]);
      await decide('ada');
      await decide('bob');
      expect(onWarning).toHaveBeenCalledTimes(times);
    }
    expect(onWarning).toHaveBeenLastCalledWith(
      'The overrides for subjects of "sale:usr" are ignored: there is no such level. Use one of sale:user.',
    );
  });

  const someNumbers = fc.record({
    kind: fc.constant('numbers' as const),
    limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    windowMs: fc.option(fc.constantFrom(500, 1_000, 3_000), { nil: undefined }),
  });
  const someRule = fc.oneof(
    { weight: 5, arbitrary: someNumbers },
    { weight: 1, arbitrary: fc.constant({ kind: 'exempt' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('deny' as const), until: fc.constant(START + 1_500) }),
    },
  );
  const addresses = ['10.0.0.1', '10.0.0.2', '10.1.0.1'] as const;
  const someStep = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant('call' as const),
        who: fc.constantFrom(...addresses),
        plan: fc.constantFrom('free' as const, 'vip' as const),
        afterMs: fc.constantFrom(0, 0, 0, 1, 120, 499, 1_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('rules' as const),
        rules: fc.dictionary(fc.constantFrom(...addresses, '10.0.0.0/24', '10.0.0.0/8'), someRule),
      }),
    },
  );

  /** Returns the rule of an address by the definition: its own, else that of the narrowest range, but no denial that has ended. */
  function ruleOf(rules: Record<string, PersonRule>, who: string, now: number): PersonRule | undefined {
    const narrow = who.startsWith('10.0.0.') ? rules['10.0.0.0/24'] : undefined;
    return [rules[who], narrow, rules['10.0.0.0/8']].find(
      (rule) => rule && !(rule.kind === 'deny' && rule.until <= now),
    );
  }

  test('each person is decided by their own numbers at that time, also from cached denials', async () => {
    const limits = { free: 2, vip: 5 };
    const windows = { free: 1_000, vip: 700 };
    const level: Level<Shopper> = {
      level: 'ip',
      limit: byPlan(limits, ({ context }) => context.plan),
      windowMs: byPlan(windows, ({ context }) => context.plan),
    };
    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { minLength: 20, maxLength: 120, size: 'max' }), async (steps) => {
        const { clock, decide, setRules } = nodeWith(level);
        const oracles = new Map(addresses.map((who) => [who, createOracle('sliding-log')]));
        let rules: Record<string, PersonRule> = {};
        for (const step of steps) {
          if (step.kind === 'rules') {
            rules = step.rules;
            setRules(rules);
            continue;
          }
          clock.now += step.afterMs;
          const { who, plan } = step;
          const rule = ruleOf(rules, who, clock.now);
          const own = rule?.kind === 'numbers' ? rule : undefined;
          const numbers = {
            limit: own?.limit ?? limits[plan],
            windowMs: own?.windowMs ?? windows[plan],
            subWindows: 10,
          };
          const isDenied = rule?.kind === 'deny';
          const decision = await decide(who, plan);
          if (rule?.kind === 'exempt' || isDenied) expect(decision.allowed).toBe(!isDenied);
          else {
            const { allowed, retryAfterMs } = oracles.get(who)?.(clock.now, 1, numbers) ?? {};
            expect(decision.allowed).toBe(allowed);
            if (!decision.allowed) {
              const { limit, windowMs } = numbers;
              expect(decision.refusedBy).toMatchObject({ limit, windowMs, retryAfterMs });
            }
          }
        }
      }),
      propertyRuns(2 * current.cases, { short: Math.ceil(current.short / 3) }),
    );
  }, 600_000);

  test('calls sent together are admitted up to the present numbers of each person, whatever was denied before', async () => {
    const burst = fc.record({
      who: fc.constantFrom('ada', 'bob'),
      limit: fc.integer({ min: 1, max: 12 }),
      isNewWindow: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 4, maxLength: 12, size: 'max' }), async (bursts) => {
        const { clock, decide, setRules } = nodeWith(user);
        const used = { ada: 0, bob: 0 };
        for (const { who, limit, isNewWindow } of bursts) {
          if (isNewWindow) {
            clock.now += 1_000;
            Object.assign(used, { ada: 0, bob: 0 });
          }
          setRules({ [who]: { kind: 'numbers', limit } });
          const decisions = await Promise.all(Array.from({ length: 20 }, () => decide(who)));
          const admitted = decisions.filter(({ allowed }) => allowed).length;
          expect(admitted).toBe(Math.max(0, limit - used[who]));
          used[who] += admitted;
        }
      }),
      propertyRuns(current.cases, { short: Math.ceil(current.short / 6) }),
    );
  }, 600_000);
});
