import { initTRPC } from '@trpc/server';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClientAddress } from '../adapters/client-address';
import { rateLimit as limitExpress } from '../adapters/express';
import { rateLimit as limitFastify } from '../adapters/fastify';
import { forwardedAddress, rateLimit as limitFetch } from '../adapters/fetch';
import { rateLimit as limitHono } from '../adapters/hono';
import { answerOf } from '../adapters/http';
import { createTrpcLimits, rateLimit as limitTrpc, type RateLimitContext, shared } from '../adapters/trpc';
import { holdLease } from '../decide/lease';
import { createLimiter } from '../limiter';
import { LimiterOptionError } from '../options';
import { createQueues } from '../queue/index';
import { ioredisStore } from '../stores/ioredis-store';
import { memoryStore } from '../stores/memory-store';
import { nodeRedisStore } from '../stores/node-redis-store';
import { StoreUnavailableError } from '../stores/store-error';
import { normalizeAddress } from './address';
import { definePolicy } from './named-policy';
import { shared as namedShared } from './shared-levels';

const window = { limit: 1, windowMs: 60_000 };
const policy = definePolicy({
  name: 'page',
  levels: [
    { level: 'user', ...window },
    { level: 'ip', ...window },
  ],
  message: { en: 'Too many.', zh: '太多了。' },
});
const sale = definePolicy({
  name: 'sale',
  levels: [
    { level: 'user', ...window },
    { level: 'global', ...window, queue: { maxLength: 9, maxWaitMs: 60_000 } },
  ],
  requestId: () => undefined,
});
const createTestLimiter = () =>
  createLimiter({
    store: memoryStore({ clock: () => 0 }),
    secret: 'a secret of at least 32 characters',
    queues: createQueues,
  });
const limiter = createTestLimiter();
const subjects = () => ({ user: 'ada', ip: '192.0.2.1' });
const adapters: [name: string, create: (options: never) => unknown][] = [
  ['express', limitExpress],
  ['fastify', limitFastify],
  ['hono', limitHono],
  ['fetch', limitFetch],
];
const page = { headers: new Headers({ 'x-forwarded-for': '192.0.2.1' }) };
const caller = subjects();

function lazyRedis(): Redis {
  const redis = new Redis({ lazyConnect: true });
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** Calls of public functions with an option that does not exist, and the options that exist. */
const misspelt: [name: string, call: (typo: object) => unknown, known: string][] = [
  [
    'createLimiter',
    (typo) => createLimiter({ store: memoryStore(), secret: 's'.repeat(32), ...typo }),
    'secret, prefix',
  ],
  ...adapters.map(([name, create]): [string, (typo: object) => unknown, string] => [
    `rateLimit of ${name}`,
    (typo) => create({ limiter, policy, subjects, ...typo } as never),
    'limiter, policy, subjects, trustedProxies, skip, settle, onRefused, headers, language',
  ]),
  ['rateLimit of tRPC', (typo) => limitTrpc({ ...policy, ...typo }), 'name, levels, message'],
  ['definePolicy', (typo) => definePolicy({ ...policy, ...typo }), 'name, levels, message'],
  [
    'shared',
    (typo) => namedShared('api', { level: 'user', ...window, ...typo }),
    'level, by, counts, algorithm, limit',
  ],
  [
    'shared of tRPC',
    (typo) => shared('api', { level: 'user', ...window, ...typo }),
    'level, by, counts, algorithm, limit',
  ],
  ['createTrpcLimits', (typo) => createTrpcLimits({ limiter, ...typo }), 'limiter, trustedProxies, headers'],
  ['answerOf', (typo) => answerOf(new StoreUnavailableError('down'), typo), 'policy, language, headers'],
  [
    'contextOf',
    (typo) => createTrpcLimits({ limiter }).contextOf({ user: 'ada', ...typo }),
    'user, ip, language',
  ],
  [
    'createContext',
    (typo) =>
      createTrpcLimits({ limiter }).createContext(
        { req: { socket: {}, headers: {} } },
        { user: 'ada', ...typo },
      ),
    'user, language',
  ],
  ['memoryStore', (typo) => memoryStore({ ...typo }), 'clock'],
  ['ioredisStore', (typo) => ioredisStore(lazyRedis(), { ...typo }), 'onWarning'],
  ['nodeRedisStore', (typo) => nodeRedisStore({ sendCommand: async () => 0 }, { ...typo }), 'onWarning'],
  [
    'createClientAddress',
    (typo) => createClientAddress({ trustedProxies: [], ...typo }),
    'trustedProxies, ipv6Prefix',
  ],
  ['forwardedAddress', (typo) => forwardedAddress(page, { proxies: 1, ...typo }), 'proxies, ipv6Prefix'],
  ['normalizeAddress', (typo) => normalizeAddress('::1', { ...typo }), 'ipv6Prefix'],
  [
    'check',
    (typo) => limiter.check(policy, { ...caller, ...typo }),
    'user, ip, requestId, cost, input, timeoutMs',
  ],
  ['peek', (typo) => limiter.peek(policy, { ...caller, ...typo }), 'user, ip'],
  ['clear', (typo) => limiter.clear(policy, { level: 'user', subject: 'ada', ...typo }), 'level, subject'],
  [
    'join',
    (typo) =>
      limiter.queue(sale).join({ subjects: caller, requestId: 'id', group: 'one', payload: '', ...typo }),
    'subjects, plans, cost',
  ],
  ['mine', (typo) => limiter.queue(sale).mine({ subjects: caller, ...typo }), 'subjects, ticketIds, groups'],
  [
    'leave',
    (typo) => limiter.queue(sale).leave({ subjects: caller, ticketId: '1', ...typo }),
    'subjects, ticketId',
  ],
  [
    'serve',
    (typo) => limiter.queue(sale).serve({ onTurn: async () => ({ outcome: '' }), ...typo }),
    'onTurn, pausedGroups',
  ],
];

describe.each(misspelt)('%s', (_name, call, known) => {
  test.each(['tpyo', 'constructor', '__proto__x', 'toString'])(
    'an option %s is an error that names it and those that exist',
    async (typo) => {
      const error = await Promise.resolve()
        .then(() => call({ [typo]: true }))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).message).toContain(typo);
      expect((error as Error).message).toContain(known);
    },
  );
});

test('a Fetch handler has no peer, so it trusts a number of proxies only', () => {
  for (const trustedProxies of [['10.0.0.1'], 'unix', 0]) {
    const options = { limiter, policy, subjects, trustedProxies: trustedProxies as number };
    expect(() => limitFetch(options)).toThrow('Use the number of proxies that every request passes');
  }
});

describe.each([undefined, null, 'page'])('a policy that is %j is an error at once', (wrong) => {
  const none = wrong as never;
  const error = `the policy is ${JSON.stringify(wrong) ?? wrong}. Give the result of definePolicy`;

  test.each(adapters)('of %s', (_name, create) => {
    expect(() => create({ limiter, policy: none, subjects } as never)).toThrow(error);
  });

  test('of the limiter, of tRPC and of definePolicy', async () => {
    expect(() => definePolicy(none)).toThrow(error);
    expect(() => limitTrpc(none)).toThrow(error);
    expect(() => limiter.queue(none)).toThrow(error);
    await expect(limiter.check(none, {})).rejects.toThrow(error);
    await expect(limiter.peek(none, {})).rejects.toThrow(error);
    await expect(limiter.clear(none, { level: 'user' } as never)).rejects.toThrow(error);
    for (const read of [limiter.bans.list, limiter.bans.count])
      await expect(Promise.resolve().then<unknown>(() => read(none))).rejects.toThrow(error);
  });
});

test.each(adapters)('wrong options of %s are errors at once', (_name, create) => {
  for (const [options, message] of [
    [undefined, 'rateLimit: '],
    [{ policy, subjects }, 'limiter is undefined. Give the result of createLimiter.'],
    [{ limiter: {}, policy, subjects }, 'limiter is {}. Give the result of createLimiter.'],
    [{ limiter, policy, subjects: { user: 'ada' } }, 'subjects is {"user":"ada"}. Use a function'],
    [{ limiter, policy, subjects, language: 'zh' }, 'language is "zh". Use a function'],
    [{ limiter, policy, subjects, onRefused: 'log' }, 'onRefused is "log". Use a function'],
  ] as const) {
    expect(() => create(options as never)).toThrow(LimiterOptionError);
    expect(() => create(options as never)).toThrow(message);
  }
});

test('other wrong options are errors at once', async () => {
  expect(() => createLimiter(undefined as never)).toThrow(
    'createLimiter: the object of options is undefined',
  );
  expect(() => createTrpcLimits({} as never)).toThrow('createTrpcLimits: limiter is undefined');
  expect(() => limitExpress({ limiter, policy, subjects, trustedProxies: '10.0.0.1' as never })).toThrow(
    'trustedProxies is "10.0.0.1". Give a list',
  );
  for (const name of [undefined, '', 'a b'])
    expect(() => namedShared(name as never, { level: 'user', ...window })).toThrow('shared: name is ');
  for (const [call, shown] of [[undefined], [null], ['ada', 'a string'], [42, 'a number']]) {
    const message = `Policy "page": the call is ${shown ?? call}. Give an object with its subjects by name, as in { "user": … }.`;
    await expect(limiter.check(policy, call as never)).rejects.toThrow(message);
    await expect(limiter.peek(policy, call as never)).rejects.toThrow(message);
  }
});

test('a value that another call has not returned is an error that names it', async () => {
  const fails = async (call: () => unknown, message: string) => {
    const error = await Promise.resolve()
      .then(call)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LimiterOptionError);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  };
  const none = undefined as never;
  const wrong = {} as never;
  await fails(() => limiter.settle(none, 5), '^settle: reservation is undefined. Give the reservation');
  await fails(() => limiter.settle(wrong, 5), '^settle: reservation is an object. Give');
  await fails(() => holdLease(limiter, none), '^holdLease: lease is undefined. Give the lease');
  await fails(() => holdLease(limiter, wrong), '^holdLease: lease is an object. Give');
  await fails(() => limiter.renew(none), '^renew: lease is undefined. Give');
  await fails(() => limiter.release(none), '^release: lease is undefined. Give');
  await fails(() => limiter.explain(none), '^explain: decision is undefined. Give the decision');
  await fails(() => limiter.explain(wrong), '^explain: decision is an object. Give');
  await fails(
    () => limiter.clear(policy, { level: 'usr' as never, subject: 'ada' }),
    '^clear: level is "usr". Use a level of policy "page": user, ip.$',
  );
  await fails(
    () => limiter.clear(policy, { level: 'user' }),
    '^clear: subject is undefined. Name the subject',
  );
  await fails(
    () => limiter.queue(policy),
    '^queue: queue is undefined. Give the last level of policy "page"',
  );
  const plain = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
  await fails(() => plain.queue(sale), '^createLimiter: queues is undefined. Give createQueues');
});

describe('subjects of an adapter', () => {
  const respond = (given: unknown) =>
    limitFetch({ limiter: createTestLimiter(), policy, subjects: () => given as never })(
      () => new Response(),
    )(new Request('http://example.com/'));

  test.each([undefined, null, 'ada', 42, ['ada']])(
    'that return %j are an error that names policy and fix',
    async (given) => {
      await expect(respond(given)).rejects.toThrow(
        /^Policy "page": the result of subjects is .*Return an object with the name and the subject of each level/,
      );
    },
  );

  test('with an unknown name are an error that names policy, name and the levels', async () => {
    await expect(respond({ usr: 'ada' })).rejects.toThrow(
      'Policy "page": usr is a string. This is not an option. Use user, ip, requestId, ',
    );
  });
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'fr', '', undefined])(
  'a refusal in the language %j has the English text',
  async (language) => {
    const own = createTestLimiter();
    const options = { limiter: own, policy, subjects, language: () => language as string };
    const handler = limitFetch(options)(() => new Response());
    const respond = () => handler(new Request('http://example.com/'));
    await respond();
    expect(await (await respond()).json()).toMatchObject({ status: 429, detail: 'Too many.' });
    const t = initTRPC.context<RateLimitContext>().create();
    const router = t.router({ page: t.procedure.use(limitTrpc(policy)).query(() => 'ok') });
    const { contextOf } = createTrpcLimits({ limiter: own });
    const call = t
      .createCallerFactory(router)(contextOf({ ...caller, language }))
      .page();
    await expect(call).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', message: 'Too many.' });
  },
);
