import { expect, test } from 'vitest';
import { z } from 'zod';
import { keyedBy, type Policy } from './policy';
import { resolvePolicy } from './resolve-policy';

const queue = { maxLength: 5_000, maxWaitMs: 600_000 };
const user = { level: 'user', limit: 5, windowMs: 10_000 } as const;
const global = { level: 'global', limit: 100, windowMs: 10_000, queue } as const;
const sale: Policy<unknown> = {
  levels: [user, global],
  requestId: () => 'id',
  message: { en: 'Many shoppers are here.' },
};
const byEmail = keyedBy(z.object({ email: z.string() }), ({ input }) => input.email);

test('a sliding log by global with a cost of 1 may have a queue', () => {
  expect(resolvePolicy(sale, 'sale').levels[1]).toMatchObject({ queue });
});

test.each<{ mistake: string; policy: Partial<Policy<unknown>>; message: RegExp }>([
  {
    mistake: 'no length',
    policy: { levels: [user, { ...global, queue: { ...queue, maxLength: 0 } }] },
    message: /levels\[1\]\.queue\.maxLength is 0\. Use a whole number/,
  },
  {
    mistake: 'an unknown field',
    policy: { levels: [user, { ...global, queue: { ...queue, maxWait: 5 } as never }] },
    message:
      /levels\[1\]\.queue\.maxWait is 5\. This is not a field of a queue\. Use maxLength, maxWaitMs, maxPerSubject, share, ticket\./,
  },
  {
    mistake: 'a text in its place',
    policy: { levels: [user, { ...global, queue: 'long' as never }] },
    message: /levels\[1\]\.queue is "long"\. Give maxLength and maxWaitMs/,
  },
  {
    mistake: 'a wait below a second',
    policy: { levels: [user, { ...global, queue: { ...queue, maxWaitMs: 999 } }] },
    message: /levels\[1\]\.queue\.maxWaitMs is 999/,
  },
  {
    mistake: 'no ticket for a caller',
    policy: { levels: [user, { ...global, queue: { ...queue, maxPerSubject: 0 } }] },
    message: /levels\[1\]\.queue\.maxPerSubject is 0\. Use a whole number from 1 to 1000/,
  },
  {
    mistake: 'an address as its share',
    policy: { levels: [user, { ...global, queue: { ...queue, share: 'ip' as never } }] },
    message: /levels\[1\]\.queue\.share is "ip"\. Give by and most/,
  },
  {
    mistake: 'a name in place of a function',
    policy: { levels: [user, { ...global, queue: { ...queue, share: { by: 'ip' as never, most: 5 } } }] },
    message: /levels\[1\]\.queue\.share\.by is "ip"\. Use a function/,
  },
  {
    mistake: 'a fraction of tickets',
    policy: { levels: [user, { ...global, queue: { ...queue, share: { by: () => 'x', most: 0.5 } } }] },
    message: /levels\[1\]\.queue\.share\.most is 0\.5\. Use a whole number/,
  },
  {
    mistake: 'an unknown field of its share',
    policy: { levels: [user, { ...global, queue: { ...queue, share: { max: 5 } as never } }] },
    message: /levels\[1\]\.queue\.share\.max is 5\. This is not a field of a share\. Use by, most\./,
  },
  {
    mistake: 'a caller’s own window',
    policy: { levels: [{ ...user, queue }] },
    message: /Queue at "global"/,
  },
  {
    mistake: 'another algorithm',
    policy: { levels: [user, { ...global, algorithm: 'token-bucket' }] },
    message: /token-bucket does not hold the instant/,
  },
  { mistake: 'a cost above 1', policy: { cost: 2 }, message: /cost is 2\. Use 1/ },
  { mistake: 'a cost by call', policy: { cost: () => 1, maxCost: 1 }, message: /cost is a function\. Use 1/ },
  {
    mistake: 'no request id',
    policy: { requestId: undefined },
    message: /requestId is undefined\. Give one/,
  },
  { mistake: 'no level of the caller', policy: { levels: [global] }, message: /the last of several levels/ },
  {
    mistake: 'a level of the caller after it',
    policy: { levels: [global, user] },
    message: /the last of several levels/,
  },
  {
    mistake: 'a shared level',
    policy: { levels: [{ ...user, shared: 'shop' }, global] },
    message: /levels\[0\]\.shared is "shop"\. Remove it/,
  },
  {
    mistake: 'calls in flight',
    policy: { levels: [{ level: 'user', concurrent: 2, leaseMs: 1_000 }, global] },
    message: /a policy of its own|without a lease/,
  },
  {
    mistake: 'a second queue of calls',
    policy: { levels: [{ ...user, algorithm: 'leaky-bucket' }, global] },
    message: /a second queue/,
  },
  {
    mistake: 'a punishment',
    policy: { levels: [{ ...user, punishment: { warnAt: 3, banAt: 5, banMs: 60_000 } }, global] },
    message: /levels\[0\]\.punishment [\s\S]* would not end the waiting tickets/,
  },
  {
    mistake: 'another level of many callers',
    policy: { levels: [{ level: 'email', by: byEmail, limit: 1, windowMs: 1_000 }, global] },
    message: /names its caller/,
  },
])('a queue with $mistake stops the start', ({ policy, message }) => {
  expect(() => resolvePolicy({ ...sale, ...policy }, 'sale')).toThrow(message);
});
