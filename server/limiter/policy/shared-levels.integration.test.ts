import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { sameSubject } from '../../../test/call-subjects';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { createLimiter } from '../limiter';
import { keyedBy, type Level, type Policy } from './policy';
import { resolvePolicy } from './resolve-policy';
import { shared } from './shared-levels';

const shop = shared('shop', { level: 'global', limit: 3, windowMs: 1_000 });
const user: Level<unknown> = { level: 'user', limit: 10, windowMs: 1_000 };

afterEach(() => vi.unstubAllEnvs());

describeStores((current) => {
  /** A node on a clock that the test sets, with policies that charge the shared level `shop`. */
  function createNode(prefix = freshPrefix()) {
    const clock = { now: 1_795_226_301_987 };
    const warnings: string[] = [];
    const limiter = createLimiter({
      ...{ store: current.store, secret: 'a secret of at least 32 characters', prefix },
      clock: () => clock.now,
      onWarning: (warning) => warnings.push(warning),
    });
    const policy = (name: string, fields: Partial<Policy<unknown>> = {}) =>
      resolvePolicy({ name, levels: [user, shop], message: { en: 'Too many.' }, ...fields }, name);
    const call = (of: ReturnType<typeof policy>, subject = 'ada') =>
      limiter.decide(of, { subjects: sameSubject(of, subject) });
    return { clock, limiter, warnings, policy, call };
  }

  test('two policies charge one window, and each its own windows', async () => {
    const { policy, call } = createNode();
    const [browse, buy] = [policy('browse'), policy('buy')];
    expect(await call(browse)).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 1 }] });
    expect(await call(buy)).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 2 }] });
    expect(await call(browse)).toMatchObject({ allowed: true, levels: [{ used: 2 }, { used: 3 }] });
    expect(await call(buy)).toMatchObject({
      ...{ allowed: false, policy: 'buy', refusedBy: { level: 'global', retryAfterMs: 1_000 } },
    });
  });

  test('of 200 calls at once through two policies and two nodes exactly the limit is admitted', async () => {
    const prefix = freshPrefix();
    const nodes = [createNode(prefix), createNode(prefix)];
    const calls = Array.from({ length: 200 }, (_, index) => {
      const node = nodes[index % 2] as ReturnType<typeof createNode>;
      return node.call(node.policy(index % 3 === 0 ? 'browse' : 'buy'), `user-${index}`);
    });
    expect((await Promise.all(calls)).filter(({ allowed }) => allowed)).toHaveLength(3);
  });

  test('a cached denial of one policy refuses no call of a policy with another cost', async () => {
    const { policy, call } = createNode();
    const [one, two] = [policy('one'), policy('two', { cost: 2 })];
    expect(await call(two)).toMatchObject({ allowed: true });
    expect(await call(two)).toMatchObject({ allowed: false, refusedBy: { used: 2, retryAfterMs: 1_000 } });
    expect(await call(one)).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 3 }] });
    expect(await call(two)).toMatchObject({ allowed: false });
    expect(await call(one)).toMatchObject({ allowed: false, refusedBy: { level: 'global' } });
  });

  test('a cached denial of one policy hides no violation from a policy that punishes', async () => {
    const { policy, call } = createNode();
    const punishment = { warnAt: 1, banAt: 2, banMs: 60_000 };
    const strict = policy('strict', { levels: [{ ...user, limit: 1, punishment }, shop] });
    const lax = policy('lax');
    await call(strict);
    for (let calls = 0; calls < 3; calls += 1) await call(lax);
    expect(await call(strict)).toMatchObject({ refusedBy: { level: 'user', punished: { violations: 1 } } });
    expect(await call(strict)).toMatchObject({ allowed: false, reason: 'banned' });
  });

  test('clearing the window of one policy clears it for all, with their cached denials', async () => {
    const { limiter, policy, call } = createNode();
    const [browse, buy] = [policy('browse'), policy('buy')];
    for (let calls = 0; calls < 4; calls += 1) await call(browse);
    expect(await call(buy)).toMatchObject({ allowed: false });
    await limiter.clear(browse, { level: 'global', subject: '' });
    expect(await call(buy)).toMatchObject({ allowed: true, levels: [{ used: 1 }, { used: 1 }] });
  });

  test('an override of the shared level applies to all its policies, and one of a policy does not', async () => {
    const { limiter, policy, call, warnings } = createNode();
    const [browse, buy] = [policy('browse'), policy('buy')];
    limiter.setOverrides([{ policy: '@shop', level: 'global', limit: 1, version: 1 }]);
    expect(await call(browse)).toMatchObject({ allowed: true, levels: [{ limit: 10 }, { limit: 1 }] });
    expect(await call(buy)).toMatchObject({ allowed: false, refusedBy: { limit: 1 } });
    expect((await limiter.peek(buy, { user: 'ada' })).windows[1]).toMatchObject({
      ...{ policy: 'buy', level: 'global', limit: 1, used: 1, hits: [expect.any(Number)] },
    });
    limiter.setOverrides([{ policy: 'buy', level: 'global', limit: 1, version: 1 }]);
    expect(await call(buy)).toMatchObject({ allowed: true, levels: [{ limit: 10 }, { limit: 3 }] });
    expect(warnings).toEqual([expect.stringContaining('Use one of buy:user, @shop:global.')]);
  });

  test('a request id belongs to its policy', async () => {
    const { limiter, policy } = createNode();
    const [browse, buy] = [policy('browse'), policy('buy')];
    const options = { subjects: { user: 'ada' }, requestId: 'one' };
    expect(await limiter.decide(browse, options)).toMatchObject({ replayed: false });
    expect(await limiter.decide(buy, options)).toMatchObject({ replayed: false, levels: [{}, { used: 2 }] });
    await limiter.releaseRequestId(buy, 'one');
    expect(await limiter.decide(browse, options)).toMatchObject({ replayed: true });
    expect(await limiter.decide(buy, options)).toMatchObject({ replayed: false });
  });

  test('bans of a policy with a shared level are listed and lifted', async () => {
    const { limiter, policy, call } = createNode();
    const punishment = { warnAt: 1, banAt: 1, banMs: 60_000 };
    const strict = policy('strict', { levels: [{ ...user, limit: 1, punishment }, shop] });
    await call(strict);
    expect(await call(strict)).toMatchObject({ reason: 'banned' });
    const [ban] = await limiter.bans.list(strict);
    expect(ban).toMatchObject({ policy: 'strict', level: 'user' });
    expect(await limiter.bans.lift(strict, ban?.banId ?? '')).toBe(true);
    expect(await limiter.bans.count(strict)).toBe(0);
  });

  test('in production, the first call of a policy that declares another window fails', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { policy, call } = createNode();
    await call(policy('browse'));
    const wide = policy('wide', { levels: [{ ...shop, limit: 4 }] });
    await expect(call(wide)).rejects.toThrow(
      'Policy "wide": levels[0].limit is 4. It is 3 in "browse", and both charge one window.',
    );
    expect(await call(policy('buy'))).toMatchObject({ allowed: true });
  });

  test('outside production, a later declaration replaces the earlier one, with one warning', async () => {
    const { policy, call, warnings } = createNode();
    const [browse, buy] = [policy('browse'), policy('buy')];
    expect(await call(browse)).toMatchObject({ levels: [{}, { limit: 3, used: 1 }] });
    expect(await call(buy)).toMatchObject({ levels: [{}, { limit: 3, used: 2 }] });
    // Hot reload evaluates the modules of policies and of their shared level again.
    const reloaded = { levels: [user, { ...shop, limit: 5 }] };
    const [newBrowse, newBuy] = [policy('browse', reloaded), policy('buy', reloaded)];
    expect(await call(newBrowse)).toMatchObject({ levels: [{}, { limit: 5, used: 3 }] });
    expect(await call(newBuy)).toMatchObject({ levels: [{}, { limit: 5, used: 4 }] });
    expect(await call(newBrowse)).toMatchObject({ allowed: true });
    expect(await call(newBuy)).toMatchObject({ allowed: false, refusedBy: { limit: 5 } });
    expect(warnings).toEqual([
      'Policy "browse": levels[1].limit is 5. It is 3 in "browse", and both charge one window. Declare it once: const level = shared("shop", { … }). Until then, the last declaration counts; in production, this is an error.',
    ]);
  });

  test('two declarations with the same numbers and functions are one level, with other functions not', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { policy, call } = createNode();
    const byTenant = () => 'acme';
    const schema = z.object({ id: z.string() });
    const byId = ({ input }: { input: { id: string } }) => input.id;
    const declare = (name: string, by: Level<unknown>['by']) =>
      policy(name, { levels: [shared('api', { level: 'tenant', by, limit: 9, windowMs: 1_000 })] });
    await call(declare('one', byTenant));
    expect(await call(declare('two', byTenant))).toMatchObject({ levels: [{ used: 2 }] });
    await expect(call(declare('three', () => 'acme'))).rejects.toThrow('levels[0].by is a function.');
    const keyed = (name: string, by: typeof byId) =>
      policy(name, {
        levels: [shared('ids', { level: 'id', by: keyedBy(schema, by), limit: 9, windowMs: 1_000 })],
      });
    await call(keyed('four', byId));
    expect(await call(keyed('five', byId))).toMatchObject({ levels: [{ used: 2 }] });
    await expect(call(keyed('six', ({ input }) => input.id))).rejects.toThrow('levels[0].by is');
  });
});
