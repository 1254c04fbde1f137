import { expect, test } from 'vitest';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { shared } from '../policy/shared-levels';

const window = { limit: 2, windowMs: 60_000 };
const secret = 'a secret of at least 32 characters';

describeStores((current) => {
  const nodeOn = (prefix = freshPrefix(), clock?: () => number) =>
    createLimiter({ store: current.store, secret, prefix, timeoutMs: 5_000, ...(clock && { clock }) });

  const punishment = { warnAt: 1, banAt: 1, banMs: 60_000 };
  const policy = definePolicy({
    name: 'claim',
    levels: [
      { level: 'user', ...window, punishment },
      { level: 'email+ip', algorithm: 'sliding-counter', ...window },
      { level: 'ip', algorithm: 'token-bucket', ...window, ifMissing: 'skip' },
      { level: 'global', limit: 1_000, windowMs: 60_000 },
    ],
    requestId: () => undefined,
  });

  test('clears all windows of a policy; bans and charged request ids stay', async () => {
    const node = nodeOn();
    const call = (user: string, requestId?: string) =>
      node.check(policy, { user, 'email+ip': user, ip: '192.0.2.1', ...(requestId && { requestId }) });
    await call('ada', 'ada:1');
    await call('bob');
    await node.bans.add(policy, { level: 'user', subject: 'bob', ms: 60_000 });
    await node.reset(policy);
    const { windows } = await node.peek(policy, { user: 'ada', 'email+ip': 'bob', ip: '192.0.2.1' });
    expect(windows.map(({ used }) => used)).toEqual([0, 0, 0, 0]);
    expect(await call('ada', 'ada:1')).toMatchObject({ allowed: true, replayed: true });
    expect(await call('bob')).toMatchObject({ reason: 'banned' });
  });

  test('admits at once on this node, although it had cached the refusals', async () => {
    const node = nodeOn();
    const greet = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 1, windowMs: 60_000 }] });
    const calls = () => Promise.all(['ada', 'bob'].map((user) => node.check(greet, { user })));
    await calls();
    expect((await calls()).map(({ allowed }) => allowed)).toEqual([false, false]);
    await node.reset(greet);
    expect((await calls()).map(({ allowed }) => allowed)).toEqual([true, true]);
  });

  test('clears more windows than one step visits, in every shard', async () => {
    const node = nodeOn();
    const greet = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 1, windowMs: 60_000 }] });
    const users = Array.from({ length: 600 }, (_, index) => `user ${index}`);
    const admitAll = async () =>
      (await Promise.all(users.map((user) => node.check(greet, { user })))).filter(({ allowed }) => allowed)
        .length;
    expect(await admitAll()).toBe(600);
    await node.reset(greet);
    expect(await admitAll()).toBe(600);
  });

  test('changes no key of a policy, level or prefix with a similar name', async () => {
    const prefix = freshPrefix();
    const system = shared('shop', { level: 'tenant', ...window });
    const levelsOf = (level: string) => [{ level, ...window }] as const;
    const others = [
      definePolicy({ name: 'user', levels: [...levelsOf('user'), system] }),
      definePolicy({ name: 'claims', levels: levelsOf('user') }),
      definePolicy({ name: 'claim.b', levels: [...levelsOf('user'), ...levelsOf('user-daily')] }),
    ];
    const subjects = { user: 'ada', tenant: 'acme', 'user-daily': 'ada' };
    const namesOf = ({ levels }: { levels: readonly { level: string }[] }) =>
      Object.fromEntries(levels.map(({ level }) => [level, subjects[level as 'user']]));
    const [node, starred] = [nodeOn(prefix), nodeOn(prefix.replace('test', 't?s*'))];
    for (const other of others) await node.check(other, namesOf(other) as never);
    const claim = definePolicy({ name: 'claim', levels: [...levelsOf('user'), ...levelsOf('tenant')] });
    await node.check(claim, { user: 'ada', tenant: 'acme' });
    await starred.reset(claim);
    const usedOf = async (one: typeof claim) =>
      (await node.peek(one, namesOf(one))).windows.map(({ used }) => used);
    expect(await usedOf(claim)).toEqual([1, 1]);
    await node.reset(claim);
    expect(await usedOf(claim)).toEqual([0, 0]);
    for (const other of others) expect(await usedOf(other as never)).toEqual(other.levels.map(() => 1));
  });

  test.each(['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket'] as const)(
    '%s: a settling of an earlier call changes nothing, and one of a later call does',
    async (algorithm) => {
      let now = 1_795_226_300_000;
      const node = nodeOn(undefined, () => now);
      const tokens = definePolicy({
        name: 'tokens',
        levels: [{ level: 'user', algorithm, limit: 100, windowMs: 60_000 }],
        cost: 40,
        settle: () => 0,
      });
      const reserve = async () => {
        const decision = await node.check(tokens, { user: 'ada' });
        if (!decision.allowed || !decision.reservation) throw new Error('the call is admitted');
        return decision.reservation;
      };
      const used = async () => (await node.peek(tokens, { user: 'ada' })).windows[0]?.used;
      const [refunded, overrun] = [await reserve(), await reserve()];
      await node.reset(tokens);
      const later = await reserve();
      expect(await node.settle(refunded, 0)).toBe(false);
      expect(await node.settle(overrun, 90)).toBe(false);
      expect(await used()).toBe(40);
      now += 1;
      expect(await node.settle(later, 10)).toBe(true);
      expect(await used()).toBe(10);
    },
  );

  test('clears a shared window for all its policies, and settlings of earlier calls of all change nothing', async () => {
    const node = nodeOn();
    const system = shared('shop', { level: 'tenant', ...window });
    const browse = definePolicy({ name: 'browse', levels: [system], settle: () => 0 });
    const buy = definePolicy({ name: 'buy', levels: [{ level: 'user', ...window }, system] });
    const decision = await node.check(browse, { tenant: 'acme' });
    await node.reset(buy);
    await node.check(buy, { user: 'ada', tenant: 'acme' });
    expect(decision.allowed && decision.reservation && (await node.settle(decision.reservation, 0))).toBe(
      false,
    );
    expect((await node.peek(browse, { tenant: 'acme' })).windows).toMatchObject([{ used: 1 }]);
  });

  test('ends the leases of calls in flight', async () => {
    const node = nodeOn();
    const report = definePolicy({
      name: 'report',
      levels: [{ level: 'user', concurrent: 1, leaseMs: 60_000 }],
    });
    await node.check(report, { user: 'ada' });
    expect(await node.check(report, { user: 'ada' })).toMatchObject({ allowed: false });
    await node.reset(report);
    expect(await node.check(report, { user: 'ada' })).toMatchObject({ allowed: true });
  });
});
