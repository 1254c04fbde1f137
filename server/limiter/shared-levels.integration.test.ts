import { expect, test } from 'vitest';
import { sameSubject } from '../../test/call-subjects';
import { describeStores } from '../../test/limiter-stores';
import { freshPrefix } from '../../test/redis';
import { createLimiter } from './limiter';
import { type Level, type Policy, resolvePolicy } from './policy';
import { shared } from './shared-levels';

const shop = shared('shop', { level: 'global', limit: 3, windowMs: 1_000 });
const user: Level<unknown> = { level: 'user', limit: 10, windowMs: 1_000 };

describeStores((current) => {
  /** A node on a clock that the test sets, with policies that charge the shared level `shop`. */
  function createNode(prefix = freshPrefix()) {
    const clock = { now: 1_795_226_301_987 };
    const limiter = createLimiter({
      ...{ store: current.store, secret: 'test', prefix },
      clock: () => clock.now,
    });
    const policy = (name: string, fields: Partial<Policy<unknown>> = {}) =>
      resolvePolicy({ name, levels: [user, shop], message: { en: 'Too many.' }, ...fields }, name);
    const call = (of: ReturnType<typeof policy>, subject = 'ada') =>
      limiter.decide(of, { subjects: sameSubject(of, subject) });
    return { clock, limiter, policy, call };
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
    const { limiter, policy, call } = createNode();
    const [browse, buy] = [policy('browse'), policy('buy')];
    limiter.setOverrides([{ policy: '@shop', level: 'global', limit: 1, version: 1 }]);
    expect(await call(browse)).toMatchObject({ allowed: true, levels: [{ limit: 10 }, { limit: 1 }] });
    expect(await call(buy)).toMatchObject({ allowed: false, refusedBy: { limit: 1 } });
    expect((await limiter.peek(buy, { subjects: { user: 'ada' } })).windows[1]).toMatchObject({
      ...{ policy: 'buy', level: 'global', limit: 1, used: 1, hits: [expect.any(Number)] },
    });
    limiter.setOverrides([{ policy: 'buy', level: 'global', limit: 1, version: 1 }]);
    expect(await call(buy)).toMatchObject({ allowed: true, levels: [{ limit: 10 }, { limit: 3 }] });
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

  test('without a router, the first call of a policy that declares another window fails', async () => {
    const { policy, call } = createNode();
    await call(policy('browse'));
    const wide = policy('wide', { levels: [{ ...shop, limit: 4 }] });
    await expect(call(wide)).rejects.toThrow(
      'Policy "wide": levels[0].limit is 4. It is 3 in "browse", and both charge one window.',
    );
  });
});
