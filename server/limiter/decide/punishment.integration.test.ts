import { parseList } from 'structured-headers';
import { describe, expect, test } from 'vitest';
import { subjectsInOrder } from '../../../test/call-subjects';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { rateLimitHeaders } from '../adapters/headers';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import type { Level, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import type { Decision } from './decision';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_795_226_301_987;

/** Three a minute; warns from the 3rd violation, bans for half an hour at the 5th. */
const punishing: Level<unknown> = {
  level: 'user',
  limit: 3,
  windowMs: MINUTE,
  punishment: { warnAt: 3, banAt: 5, banMs: 30 * MINUTE },
};

describeStores((current) => {
  /** Two nodes that share a store and a clock that the test sets. */
  function twoNodes() {
    const clock = { now: START };
    const shared = {
      ...{ store: current.store, secret: 'a secret of at least 32 characters', prefix: freshPrefix() },
      clock: () => clock.now,
    };
    return { clock, node: createLimiter(shared), other: createLimiter(shared) };
  }

  /** A node, and one caller whose calls of a policy follow one another. */
  function oneCaller(policy: ResolvedPolicy<unknown>) {
    const { clock, node, other } = twoNodes();
    const call = (
      subjects: string[] = policy.levels.map(({ level }) => (level === 'ip' ? '192.0.2.1' : 'ada-1234567')),
    ) => node.decide(policy, { subjects: subjectsInOrder(policy, subjects) });
    const calls = async (count: number) => {
      const decisions: Decision[] = [];
      for (let made = 0; made < count; made += 1) decisions.push(await call());
      return decisions;
    };
    return { clock, node, other, call, calls };
  }

  test('the 3rd violation warns, and the 5th already answers banned, for half an hour', async () => {
    const { calls } = oneCaller(policyOf('claim', punishing));
    expect((await calls(8)).map(summarize)).toEqual([
      'admitted',
      'admitted',
      'admitted',
      'limited 1',
      'limited 2',
      'limited 3 warning',
      'limited 4 warning',
      `banned 5 warning until ${START + 30 * MINUTE}`,
    ]);
  });

  test('of concurrent calls, as many are violations as start the ban, and the rest are banned', async () => {
    const { call } = oneCaller(policyOf('claim', punishing));
    const outcomes = (await Promise.all(Array.from({ length: 20 }, () => call()))).map(
      (decision) => summarize(decision).split(' ')[0],
    );
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === 'banned')).toHaveLength(13);
  });

  test('banned calls add no violation: the ban ends on time, and its end resets the count', async () => {
    const { clock, calls, call } = oneCaller(policyOf('claim', punishing));
    await calls(8);
    for (let minute = 1; minute < 30; minute += 1) {
      clock.now = START + minute * MINUTE;
      expect(await call()).toMatchObject({
        reason: 'banned',
        refusedBy: { retryAfterMs: (30 - minute) * MINUTE, punished: { violations: 5 } },
      });
    }
    clock.now = START + 30 * MINUTE - 1;
    expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { retryAfterMs: 1 } });
    clock.now += 1;
    expect((await calls(4)).map(summarize)).toEqual(['admitted', 'admitted', 'admitted', 'limited 1']);
  });

  test('banned calls add no violation to another level of their policy', async () => {
    const narrow = { ...punishing, punishment: { warnAt: 1, banAt: 1, banMs: HOUR } };
    const address = { ...punishing, level: 'ip', punishment: { warnAt: 1, banAt: 2, banMs: HOUR } };
    const { clock, call, calls } = oneCaller(policyOf('claim', narrow, address));
    await calls(4);
    for (let second = 2; second < 60; second += 2) {
      clock.now = START + second * 1_000;
      expect((await call()).levels[1]?.punished?.violations ?? 1).toBe(1);
    }
    expect(summarize(await call(['bob-7654321', '192.0.2.1']))).toMatch(/^banned 2/);
  });

  test('during a ban nothing remains, also if the window is empty again', async () => {
    const { clock, node, calls, call } = oneCaller(policyOf('claim', punishing));
    await calls(8);
    clock.now += 2 * MINUTE;
    expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { used: 0, remaining: 0 } });
    const { windows } = await node.peek(policyOf('claim', punishing), { user: 'ada-1234567' });
    expect(windows).toMatchObject([{ used: 0, remaining: 0 }]);
  });

  test('violations lapse one hour after the last', async () => {
    const { clock, calls, call } = oneCaller(policyOf('claim', punishing));
    await calls(5);
    clock.now += HOUR - 1;
    expect((await calls(4)).map(summarize).at(-1)).toBe('limited 3 warning');
    clock.now += HOUR;
    await calls(3);
    expect(summarize(await call())).toBe('limited 1');
  });

  test('a ban applies to its policy and its caller', async () => {
    const { clock, node, calls, call } = oneCaller(policyOf('claim', punishing));
    await calls(8);
    clock.now += 1;
    expect(summarize(await call(['bob-7654321']))).toBe('admitted');
    const elsewhere = policyOf('pay', punishing);
    expect(summarize(await node.decide(elsewhere, { subjects: { user: 'ada-1234567' } }))).toBe('admitted');
  });

  test('only refusals by the level itself are violations', async () => {
    const roomy = { ...punishing, limit: 100 };
    const policy = policyOf('sale', roomy, { level: 'global', limit: 1, windowMs: MINUTE });
    const { calls, node } = oneCaller(policy);
    const refusals = (await calls(9)).slice(1);
    expect(refusals.map((decision) => !decision.allowed && decision.refusedBy.level)).toEqual(
      Array(8).fill('global'),
    );
    const { windows } = await node.peek(policy, { user: 'ada-1234567' });
    expect(windows[0]).not.toHaveProperty('bannedUntil');
    expect(await node.bans.list(policy)).toEqual([]);
  });

  test('peeks and refusals by a shadow level are not violations', async () => {
    const policy = policyOf('claim', { ...punishing, mode: 'shadow' });
    const { calls, node } = oneCaller(policy);
    expect((await calls(12)).every(({ allowed }) => allowed)).toBe(true);
    for (let peeks = 0; peeks < 9; peeks += 1) await node.peek(policy, { user: 'ada-1234567' });
    expect(await node.bans.list(policy)).toEqual([]);
  });

  test('a peek returns the ban while it is active', async () => {
    const policy = policyOf('claim', punishing);
    const { clock, calls, node } = oneCaller(policy);
    await calls(8);
    const peek = async () => (await node.peek(policy, { user: 'ada-1234567' })).windows;
    expect(await peek()).toMatchObject([{ used: 3, bannedUntil: START + 30 * MINUTE }]);
    clock.now = START + 30 * MINUTE;
    expect((await peek())[0]).not.toHaveProperty('bannedUntil');
  });

  test('any node lists an active ban masked and counts it, in every shard of the policy', async () => {
    const policy = policyOf('claim', punishing);
    const { clock, node, other } = oneCaller(policy);
    const subjects = ['ada-1234567', 'bob-7654321', '李雷'];
    for (const subject of subjects) {
      for (let made = 0; made < 8; made += 1) await node.decide(policy, { subjects: { user: subject } });
      clock.now += 10;
    }
    expect(await other.bans.list(policy)).toEqual(
      ['ada…67', 'bob…21', '李…'].map((subject, index) => ({
        policy: 'claim',
        level: 'user',
        ref: expect.stringMatching(/^[\w-]{22}$/),
        subject,
        bannedUntil: START + 10 * index + 30 * MINUTE,
        violations: 5,
        banId: expect.any(String),
      })),
    );
    expect(await other.bans.count(policy)).toBe(3);
    clock.now = START + 30 * MINUTE;
    expect(await other.bans.list(policy)).toHaveLength(2);
    expect(await other.bans.count(policy)).toBe(2);
  });

  test('a banned subject is peeked at by its pseudonym, without a charge', async () => {
    const policy = policyOf('claim', punishing);
    const { clock, node, other, calls } = oneCaller(policy);
    await calls(8);
    const [ban] = await other.bans.list(policy);
    for (let peeks = 0; peeks < 2; peeks += 1) {
      expect(await other.peekByPseudonym(policy, { level: 'user', pseudonym: ban?.ref ?? '' })).toMatchObject(
        {
          now: clock.now,
          window: { policy: 'claim', level: 'user', used: 3, bannedUntil: ban?.bannedUntil },
          punished: { violations: 5, warning: true, bannedUntil: ban?.bannedUntil },
        },
      );
    }
    const stranger = await node.peekByPseudonym(policy, {
      level: 'user',
      pseudonym: 'unknown-by-this-name--',
    });
    expect(stranger).toMatchObject({ window: { used: 0 }, punished: { violations: 0, bannedUntil: null } });
  });

  test('a ban is lifted on every node within a second, and its violations are deleted', async () => {
    const policy = policyOf('claim', punishing);
    const { clock, node, other, calls } = oneCaller(policy);
    await calls(8);
    clock.now += MINUTE;
    const subjects = { user: 'ada-1234567' };
    expect(summarize(await node.decide(policy, { subjects }))).toMatch(/^banned/);
    expect(summarize(await other.decide(policy, { subjects }))).toMatch(/^banned/);
    const [ban] = await other.bans.list(policy);
    expect(await other.bans.lift(policy, ban?.banId ?? '')).toBe(true);
    expect(await node.bans.list(policy)).toEqual([]);
    expect(await node.bans.lift(policy, ban?.banId ?? '')).toBe(false);
    clock.now += 1_000;
    expect((await calls(4)).map(summarize)).toEqual(['admitted', 'admitted', 'admitted', 'limited 1']);
    expect(summarize(await other.decide(policy, { subjects }))).toBe('limited 2');
  });

  test('the id of an ended ban does not lift a later ban of the same caller', async () => {
    const policy = policyOf('claim', punishing);
    const { clock, node, calls } = oneCaller(policy);
    await calls(8);
    const [former] = await node.bans.list(policy);
    clock.now += 30 * MINUTE;
    await calls(8);
    const [latter] = await node.bans.list(policy);
    expect(await node.bans.lift(policy, former?.banId ?? '')).toBe(false);
    expect(await node.bans.lift(policy, latter?.banId ?? '')).toBe(true);
  });

  test('if two policies banned one caller, an id lifts only the ban of its policy', async () => {
    const [claim, pay] = [policyOf('claim', punishing), policyOf('pay', punishing)];
    const { node, calls } = oneCaller(claim);
    await calls(8);
    for (let made = 0; made < 8; made += 1) await node.decide(pay, { subjects: { user: 'ada-1234567' } });
    const [ban] = await node.bans.list(claim);
    expect(await node.bans.lift(pay, ban?.banId ?? '')).toBe(false);
    expect(await node.bans.list(pay)).toHaveLength(1);
    expect(await node.bans.lift(claim, ban?.banId ?? '')).toBe(true);
  });

  test('a level in camelCase is named like any other, in headers, bans, peeks, overrides and clear', async () => {
    const { node, other } = twoNodes();
    const api = definePolicy({
      name: 'api',
      levels: [
        { level: 'apiKey', limit: 1, windowMs: MINUTE, punishment: { warnAt: 1, banAt: 2, banMs: MINUTE } },
        { level: 'userId', algorithm: 'sliding-counter', limit: 9, windowMs: MINUTE },
      ],
    });
    const call = { apiKey: 'key-1234567', userId: 7 };
    const admitted = await node.check(api, call);
    expect(parseList(rateLimitHeaders([admitted]).ratelimit ?? '').map(([name]) => name)).toEqual([
      'api:apiKey',
      'api:userId',
    ]);
    await node.check(api, call);
    expect(await node.check(api, call)).toMatchObject({ reason: 'banned', refusedBy: { level: 'apiKey' } });
    const [ban] = await other.bans.list(api);
    expect(ban).toMatchObject({ level: 'apiKey', subject: 'key…67', violations: 2 });
    expect(await other.bans.lift(api, ban?.banId ?? '')).toBe(true);
    await other.clear(api, { level: 'apiKey', subject: call.apiKey });
    other.setOverrides([{ policy: 'api', level: 'userId', limit: 5, version: 1 }]);
    expect((await other.peek(api, call)).windows.map(({ used, limit }) => [used, limit])).toEqual([
      [0, 1],
      [1, 5],
    ]);
  });

  describe('a ban by an operator', () => {
    const policy = policyOf('claim', punishing, { level: 'global', limit: 100, windowMs: MINUTE });
    const ban = { level: 'user', subject: 'ada-1234567', ms: 5 * MINUTE } as const;

    test.each([
      { name: 'one level', banned: policyOf('claim', punishing) },
      { name: 'several levels', banned: policy },
    ])('refuses the subject on every node until its end, of a policy with $name', async ({ banned }) => {
      const { clock, node, other, call } = oneCaller(banned);
      expect(summarize(await call())).toBe('admitted');
      const added = await other.bans.add(banned, ban);
      expect(added).toMatchObject({ subject: 'ada…67', violations: 0, bannedUntil: START + 5 * MINUTE });
      expect(await node.bans.list(banned)).toEqual([added]);
      expect(summarize(await call())).toBe(`banned 0 until ${added.bannedUntil}`);
      expect(await node.decide(banned, { subjects: { user: 'bob' } })).toMatchObject({ allowed: true });
      clock.now = added.bannedUntil - 1;
      expect(await call()).toMatchObject({ reason: 'banned', refusedBy: { retryAfterMs: 1 } });
      clock.now += 1;
      expect(summarize(await call())).toBe('admitted');
      expect(await node.bans.list(banned)).toEqual([]);
    });

    test('replaces the end of a ban, keeps its violations, and is lifted like any other', async () => {
      const { clock, node, other, calls, call } = oneCaller(policy);
      await calls(8);
      for (const ms of [HOUR, 2 * MINUTE]) {
        const added = await other.bans.add(policy, { ...ban, ms });
        expect(added).toMatchObject({ violations: 5, bannedUntil: clock.now + ms });
        expect(await node.bans.list(policy)).toEqual([added]);
        clock.now += 1_000;
        expect(summarize(await call())).toBe(`banned 5 warning until ${added.bannedUntil}`);
      }
      const [added] = await node.bans.list(policy);
      expect(await node.bans.lift(policy, added?.banId ?? '')).toBe(true);
      clock.now += MINUTE;
      expect((await calls(4)).map(summarize)).toEqual(['admitted', 'admitted', 'admitted', 'limited 1']);
    });

    test('needs a level that punishes, its subject, and a length from 1 ms to a year', async () => {
      const { node } = twoNodes();
      const add = (wrong: object) => node.bans.add(policy, { ...ban, ...wrong });
      await expect(add({ level: 'global' })).rejects.toThrow('This level does not punish');
      await expect(add({ level: 'ip' })).rejects.toThrow(/^bans.add: level is "ip"\. Use a level of policy /);
      await expect(add({ subject: undefined })).rejects.toThrow(
        'bans.add: subject is undefined. Name the subject of "user"',
      );
      for (const ms of [0, 1.5, 367 * 24 * HOUR, '5'])
        await expect(add({ ms })).rejects.toThrow(/^bans.add: ms is .* Use whole milliseconds/);
      await expect(add({ forMs: 5 })).rejects.toThrow('forMs is 5. This is not an option.');
      expect(await node.bans.list(policy)).toEqual([]);
    });
  });

  const garbled = ['', 'nothing', '?', base64('{'), base64('["claim"]'), base64('["claim",99,"x"]')];
  test.each(garbled)('an invalid id lifts no ban: %j', async (banId) => {
    const { node } = twoNodes();
    expect(await node.bans.lift(policyOf('claim', punishing), banId)).toBe(false);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function policyOf(name: string, ...levels: Level<unknown>[]): ResolvedPolicy<unknown> {
  return resolvePolicy({ name, levels, message: { en: 'Too many.' } }, name);
}

/** Returns a decision in a few words. */
function summarize(decision: Decision): string {
  if (decision.allowed) return 'admitted';
  const { punished } = decision.refusedBy;
  return [
    decision.reason,
    punished?.violations,
    ...(punished?.warning ? ['warning'] : []),
    ...(punished?.bannedUntil ? [`until ${punished.bannedUntil}`] : []),
  ].join(' ');
}
