import { createTRPCClient, httpBatchStreamLink, TRPCClientError } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestContext } from '../../test/context';
import { startHttpServer } from '../../test/http-server';
import { rateLimit, unlimited } from '../limiter/adapters/trpc';
import type { Policy } from '../limiter/index';
import { createLog } from '../observability/log';
import type { Context } from '../trpc/context';
import { publicProcedure, router } from '../trpc/procedures';
import { createTrpcHandler } from './trpc-handler';
import { acceptsJsonLines } from './trpc-protocol';

const policyOf = (name: string): Policy<Context> => ({
  name,
  levels: [{ level: 'user', limit: 3, windowMs: 60_000 }],
  message: { en: `Too fast for ${name}.` },
});

const testRouter = router({
  echo: publicProcedure
    .use(unlimited)
    .input(z.unknown())
    .query(({ input }) => input),
  save: publicProcedure.use(rateLimit(policyOf('save'))).mutation(() => ({ saved: true })),
  limited: publicProcedure.use(rateLimit(policyOf('limited'))).query(() => 'never'),
  full: publicProcedure.use(rateLimit(policyOf('full'))).query(() => 'never'),
});

/** A limiter that refuses two of the policies. */
function limiterOf(): Context['rateLimit']['limiter'] {
  const open = createTestContext().rateLimit.limiter;
  return {
    ...open,
    decide: async (policy, call) => {
      const level = {
        level: 'user',
        algorithm: 'sliding-log',
        limit: 3,
        windowMs: 60_000,
        used: 3,
        remaining: 0,
        retryAfterMs: policy.name === 'full' ? 59_000 : 41_210,
        resetMs: 59_000,
      } as const;
      if (policy.name === 'save') return open.decide(policy, call);
      return {
        allowed: false,
        policy: policy.name,
        now: 0,
        levels: [level],
        shadowRefusals: [],
        degraded: false,
        reason: 'limited',
        refusedBy: level,
        retryAfterMs: level.retryAfterMs,
      };
    },
  };
}

/** tRPC's streaming client, with the answers that it gets. */
async function streamClient(options: { headers?: Record<string, string>; streamHeader?: 'accept' } = {}) {
  const handle = createTrpcHandler({
    router: testRouter,
    publicOrigin: undefined,
    log: createLog({ level: 'silent' }),
    logRefusal: () => undefined,
    requestContext: async () => {
      const context = createTestContext({ user: { id: 'u1', name: 'Ann', role: 'shopper' } });
      return { ...context, rateLimit: { ...context.rateLimit, limiter: limiterOf() } };
    },
  });
  const { origin } = await startHttpServer(handle);
  const answers: { status: number; headers: Headers; text: string }[] = [];
  const link = httpBatchStreamLink<typeof testRouter>({
    ...options,
    url: `${origin}/api/trpc`,
    fetch: async (url, init) => {
      const response = await fetch(url, {
        ...init,
        body: init?.body as string,
        signal: init?.signal ?? null,
      });
      const { status, headers } = response;
      answers.push({ status, headers, text: await response.clone().text() });
      return response;
    },
  });
  return { client: createTRPCClient<typeof testRouter>({ links: [link] }), answers };
}

async function errorOf(call: Promise<unknown>): Promise<TRPCClientError<typeof testRouter>> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof TRPCClientError) return error;
  throw new Error('The call was answered.', { cause: error });
}

describe('tRPC’s httpBatchStreamLink gets', () => {
  const values = ['text', 0, null, undefined, [], [[1]], { list: [{ a: 1 }] }, {}];

  test('every value of a batch, in one line of JSON', async () => {
    const { client, answers } = await streamClient();
    expect(await Promise.all(values.map((value) => client.echo.query(value)))).toEqual(values);
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect(answers[0]?.text).toMatch(/^\{[^\n]*\}\n$/);
  });

  test('mutations, and the answer for a client that sends Accept', async () => {
    const { client, answers } = await streamClient({ streamHeader: 'accept' });
    expect(await client.save.mutate()).toEqual({ saved: true });
    expect(answers[0]?.text).toBe('{"0":[[{"result":{"data":{"saved":true}}}]]}\n');
  });

  test('each refusal of a batch with its own error, and complete headers', async () => {
    const { client, answers } = await streamClient();
    const [value, limited, full] = await Promise.all([
      client.echo.query('hi'),
      errorOf(client.limited.query()),
      errorOf(client.full.query()),
    ]);
    expect(value).toBe('hi');
    expect(limited).toMatchObject({ message: 'Too fast for limited.', data: { httpStatus: 429 } });
    expect(full.data).toMatchObject({ rateLimit: { policy: 'full', retryAfterMs: 59_000 } });
    expect(answers.map(({ status }) => status)).toEqual([207]);
    expect(answers[0]?.headers.get('retry-after')).toBe('59');
    expect(answers[0]?.headers.get('ratelimit')).toContain('"limited:user";r=0');
  });

  test('each error of a batch in which all calls are refused', async () => {
    const { client, answers } = await streamClient();
    const errors = await Promise.all([errorOf(client.limited.query()), errorOf(client.full.query())]);
    expect(errors.map(({ message }) => message)).toEqual(['Too fast for limited.', 'Too fast for full.']);
    expect(answers.map(({ status }) => status)).toEqual([207]);
  });

  test('a single refusal with its status', async () => {
    const { client, answers } = await streamClient();
    expect(await errorOf(client.limited.query())).toMatchObject({ message: 'Too fast for limited.' });
    expect(answers.map(({ status }) => status)).toEqual([429]);
    expect(answers[0]?.headers.get('retry-after')).toBe('42');
  });

  test('one error for a request that reaches no procedure', async () => {
    const { client } = await streamClient();
    const tooMany = await Promise.all(Array.from({ length: 11 }, () => errorOf(client.echo.query(1))));
    expect(tooMany.map(({ data }) => data?.httpStatus)).toEqual(Array(11).fill(400));
    const foreign = await streamClient({ headers: { origin: 'https://evil.example' } });
    expect((await errorOf(foreign.client.save.mutate())).data).toMatchObject({ code: 'FORBIDDEN' });
  });
});

test.each([
  [{ 'trpc-accept': 'application/jsonl' }, true],
  [{ accept: 'text/plain, application/jsonl' }, true],
  [{ 'trpc-accept': 'application/json', accept: 'application/jsonl' }, false],
  [{ accept: 'application/jsonlines' }, false],
  [{ accept: '*/*' }, false],
  [{}, false],
])('%j accepts JSON Lines: %s', (headers, expected) => {
  expect(acceptsJsonLines(headers)).toBe(expected);
});
