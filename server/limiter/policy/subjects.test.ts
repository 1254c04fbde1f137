import { initTRPC } from '@trpc/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTrpcLimits, keyedBy, type Policy, type RateLimitContext, rateLimit } from '../adapters/trpc';
import { createLimiter } from '../limiter';
import { createQueues } from '../queue/index';
import { memoryStore } from '../stores/memory-store';
import { definePolicy, type NamedPolicy } from './named-policy';
import type { RequestId, Subject } from './policy';

const once = { limit: 1, windowMs: 60_000 };

const createTestLimiter = (options: { onWarning?: (message: string) => void } = {}) =>
  createLimiter({
    store: memoryStore({ clock: () => 0 }),
    secret: 'a secret of at least 32 characters',
    queues: createQueues,
    ...options,
  });

const policyOf = (ifMissing?: NamedPolicy['levels'][number]['ifMissing']): NamedPolicy => ({
  name: 'greet',
  levels: [{ level: 'user', ...(ifMissing && { ifMissing }), ...once }],
});

const missing = [undefined, null, ''];
const wrongSubjects: [subject: unknown, type: string][] = [
  [['ada'], 'an array'],
  [{ id: 'ada' }, 'an object'],
  [new Date(0), 'an object'],
  [true, 'a boolean'],
  [false, 'a boolean'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [Symbol('ada'), 'a symbol'],
  [() => 'ada', 'a function'],
];

/** A tRPC procedure whose one level reads a context of any value. */
function callerOf(level: Partial<Policy<Context>['levels'][number]>) {
  const limiter = createTestLimiter({ onWarning: () => undefined });
  const { contextOf } = createTrpcLimits({ limiter });
  const t = initTRPC.context<Context>().create();
  const policy: Policy<Context> = {
    name: 'greet',
    levels: [{ level: 'tenant', ...once, ...level } as Policy<Context>['levels'][number]],
    message: { en: 'Wait.' },
  };
  const createCaller = t.createCallerFactory(
    t.router({ greet: t.procedure.use(rateLimit(policy)).query(() => 'hello') }),
  );
  const greet = (value: unknown, input?: unknown) =>
    createCaller({ ...contextOf({ user: value as Subject }), tenant: value as Subject }).greet(
      input as undefined,
    );
  return { limiter, policy, greet };
}

interface Context extends RateLimitContext {
  tenant: Subject;
}

const byInput = keyedBy(z.object({ tenant: z.unknown() }), ({ input }) => input.tenant as Subject);

describe('a number counts as its text', () => {
  test.each([
    [42, '42'],
    [42n, '42'],
    [0, '0'],
    [-1.5, '-1.5'],
  ])('%s is %j', async (subject, text) => {
    const limiter = createTestLimiter();
    const policy = policyOf();
    expect((await limiter.check(policy, { user: subject })).allowed).toBe(true);
    expect((await limiter.check(policy, { user: text })).allowed).toBe(false);
    expect((await limiter.peek(policy, { user: subject })).windows).toMatchObject([{ used: 1 }]);
    await limiter.clear(policy, { level: 'user', subject });
    expect((await limiter.check(policy, { user: text })).allowed).toBe(true);
  });

  test('in a context, in an input and in a queue', async () => {
    for (const [by, input] of [
      [({ tenant }: Context) => tenant, undefined],
      [byInput, { tenant: 7 }],
    ] as const) {
      const { limiter, policy, greet } = callerOf({ by });
      await greet(7, input);
      expect((await limiter.peek(policy, { tenant: '7' })).windows).toMatchObject([{ used: 1 }]);
    }
    const queue = createTestLimiter().queue(sale);
    await queue.join({ ...ticket('first'), subjects: { user: 'bob' } });
    const joined = await queue.join({ ...ticket('second'), subjects: { user: 7 } });
    if (!joined.queued) throw new TypeError('the window is full');
    const ticketIds = [joined.ticket.ticketId];
    expect((await queue.mine({ subjects: { user: '7' }, ticketIds })).tickets).toMatchObject([
      { state: 'waiting' },
    ]);
  });
});

const sale = definePolicy({
  name: 'sale',
  levels: [
    { level: 'user', limit: 9, windowMs: 60_000 },
    { level: 'global', ...once, queue: { maxLength: 9, maxWaitMs: 600_000 } },
  ],
  requestId: () => undefined,
});
const ticket = (requestId: string | RequestId) => ({ requestId, group: 'coupon', payload: '' });

describe('a missing subject never switches a level off by itself', () => {
  test.each(missing)('%j is an error that names the policy and the level', async (user) => {
    const limiter = createTestLimiter();
    const error = /Policy "greet" counts by "user", and this call has none/;
    await expect(limiter.check(policyOf(), { user })).rejects.toThrow(error);
    await expect(limiter.clear(policyOf(), { level: 'user', subject: user })).rejects.toThrow(
      'Name the subject',
    );
    expect((await limiter.peek(policyOf(), { user })).windows).toEqual([]);
    const ofUser = callerOf({ level: 'user' });
    await expect(ofUser.greet(user)).rejects.toThrow(error);
    const ofContext = callerOf({ by: ({ tenant }) => tenant });
    await expect(ofContext.greet(user)).rejects.toThrow(/Policy "greet" counts by "tenant"/);
    // The caller chose it.
    const ofInput = callerOf({ by: byInput });
    await expect(ofInput.greet(undefined, { tenant: user })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const queue = createTestLimiter().queue(sale);
    const ofQueue = /Policy "sale" counts by "user"/;
    await expect(queue.join({ ...ticket('one'), subjects: { user } })).rejects.toThrow(ofQueue);
    await expect(queue.mine({ subjects: { user } })).rejects.toThrow(ofQueue);
    await expect(queue.leave({ subjects: { user }, ticketId: '1' })).rejects.toThrow(ofQueue);
  });

  test.each(missing)(
    '%j is skipped, or counts as the subject of ifMissing, if the level says so',
    async (user) => {
      const warnings: string[] = [];
      const limiter = createTestLimiter({ onWarning: (message) => warnings.push(message) });
      const skipping = policyOf('skip');
      for (let calls = 0; calls < 3; calls += 1)
        expect(await limiter.check(skipping, { user })).toMatchObject({ allowed: true, levels: [] });
      expect(warnings).toHaveLength(1);
      const counting = policyOf({ subject: 'jobs' });
      expect((await limiter.check(counting, { user })).allowed).toBe(true);
      for (const other of missing)
        expect((await limiter.check(counting, { user: other })).allowed).toBe(false);
      await limiter.clear(counting, { level: 'user' });
      expect((await limiter.check(counting, { user })).allowed).toBe(true);
      const { greet } = callerOf({ by: byInput, ifMissing: { subject: 'none' } });
      await greet(undefined, { tenant: user });
      await expect(greet(undefined, { tenant: null })).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    },
  );
});

describe.each(wrongSubjects)('%o is an error that names policy, level and type', (value, type) => {
  const user = value as Subject;
  const error = { name: 'SubjectError', message: expect.stringContaining(`which is ${type} in this call`) };

  test.each([undefined, 'skip', { subject: 'jobs' }] as const)(
    'of a call, with ifMissing %o',
    async (ifMissing) => {
      const limiter = createTestLimiter();
      const policy = policyOf(ifMissing);
      await expect(limiter.check(policy, { user })).rejects.toThrow(/Policy "greet" counts by "user"/);
      await expect(limiter.check(policy, { user })).rejects.toMatchObject(error);
      await expect(limiter.peek(policy, { user })).rejects.toMatchObject(error);
      await expect(limiter.clear(policy, { level: 'user', subject: user })).rejects.toMatchObject(error);
    },
  );

  test('of a queue', async () => {
    const queue = createTestLimiter().queue(sale);
    await expect(queue.join({ ...ticket('one'), subjects: { user } })).rejects.toMatchObject(error);
    await expect(queue.mine({ subjects: { user } })).rejects.toMatchObject(error);
    await expect(queue.leave({ subjects: { user }, ticketId: '1' })).rejects.toMatchObject(error);
  });

  test('of tRPC: a caller, a context, an input', async () => {
    const levels = [{ level: 'user' }, { by: ({ tenant }: Context) => tenant }, { by: byInput }];
    for (const level of levels) {
      const { greet } = callerOf({ ...level, ifMissing: 'skip' });
      await expect(greet(user, { tenant: user })).rejects.toMatchObject({ cause: error });
    }
  });
});

describe('no text of a caller is the subject of ifMissing', () => {
  const counting = { ...policyOf({ subject: 'jobs' }) };
  const texts = fc.oneof(
    fc.constantFrom('jobs', '\0jobs', '\0\0jobs', '\0', '\0\0', '\0\0\0jobs'),
    fc.string().map((text) => `\0${text}`),
    fc.string({ minLength: 1 }),
  );

  test('in check, peek, clear and rules of persons', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (user) => {
        const limiter = createTestLimiter();
        const rule = { kind: 'deny' as const, until: 60_000 };
        const ref = limiter.pseudonymOf(user);
        limiter.setOverrides([], [{ policy: 'greet', level: 'user', ref, rule }]);
        expect((await limiter.check(counting, {})).allowed).toBe(true);
        expect(await limiter.check(counting, { user })).toMatchObject({ allowed: false, reason: 'banned' });
        limiter.setOverrides([]);
        expect((await limiter.peek(counting, { user })).windows).toMatchObject([{ used: 0 }]);
        await limiter.clear(counting, { level: 'user', subject: user });
        expect((await limiter.check(counting, {})).allowed).toBe(false);
        expect((await limiter.check(counting, { user })).allowed).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('in an input, in a context and in a ban', async () => {
    for (const level of [{ by: byInput }, { by: ({ tenant }: Context) => tenant }]) {
      const { greet } = callerOf({ ...level, ifMissing: { subject: 'jobs' } });
      for (const tenant of ['\0jobs', 'jobs']) {
        expect(await greet(tenant, { tenant })).toBe('hello');
        await expect(greet(tenant, { tenant })).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      }
      expect(await greet(null, { tenant: null })).toBe('hello');
    }
    const limiter = createTestLimiter();
    const punishment = { warnAt: 1, banAt: 1, banMs: 60_000 };
    const punishing: NamedPolicy = {
      name: 'punishing',
      levels: [{ level: 'user', ifMissing: { subject: 'jobs' }, ...once, punishment }],
    };
    for (const reason of [undefined, 'banned'])
      expect((await limiter.check(punishing, { user: '\0jobs' })) as object).toEqual(
        expect.objectContaining({ allowed: !reason, ...(reason && { reason }) }),
      );
    expect((await limiter.check(punishing, {})).allowed).toBe(true);
  });
});
