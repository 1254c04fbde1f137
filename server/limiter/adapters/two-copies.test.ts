import { createRequire } from 'node:module';
import path from 'node:path';
import { initTRPC, type TRPCError } from '@trpc/server';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repoRoot } from '../../../scripts/lib/steps.mjs';
import { makeTempFolder } from '../../../test/services/temp-folder';
import { downStore } from '../../../test/store-commands';
import type * as mainEntry from '../index';
import type * as queuesEntry from '../queue/index';
import type * as storesEntry from '../stores/index';
import type * as fetchEntry from './fetch';
import type * as trpcEntry from './trpc';

const bundled = `
  export * as main from './index.ts';
  export * as fetch from './adapters/fetch.ts';
  export * as queues from './queue/index.ts';
  export * as stores from './stores/index.ts';
  export * as trpc from './adapters/trpc.ts';
`;

interface Copy {
  main: typeof mainEntry;
  fetch: typeof fetchEntry;
  queues: typeof queuesEntry;
  stores: typeof storesEntry;
  trpc: typeof trpcEntry;
}

const secret = 'a secret of at least 32 characters';

let removeFolder: () => Promise<void>;
let one: Copy;
let other: Copy;
beforeAll(async () => {
  const { dir, remove } = await makeTempFolder('copies');
  removeFolder = remove;
  const load = async (name: string, minify: boolean) => {
    const outfile = path.join(dir, `${name}.cjs`);
    await build({
      stdin: { contents: bundled, resolveDir: path.join(repoRoot, 'server/limiter'), loader: 'ts' },
      outfile,
      bundle: true,
      minify,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
      define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    });
    return createRequire(import.meta.url)(outfile) as Copy;
  };
  [one, other] = await Promise.all([load('one', false), load('other', true)]);
});
afterAll(() => removeFolder?.());

const policyOf = ({ main }: Copy) =>
  main.definePolicy({ name: 'greet', levels: [{ level: 'global', limit: 1, windowMs: 60_000 }] });

test('an error of another copy of the package is recognised by its brand and its code', async () => {
  const limiter = one.main.createLimiter({ store: downStore(), secret });
  const error: unknown = await limiter.check(policyOf(one), {}).catch((thrown: unknown) => thrown);
  expect(other.main.StoreUnavailableError).not.toBe(one.main.StoreUnavailableError);
  expect(error).toBeInstanceOf(other.main.StoreUnavailableError);
  expect(error).toBeInstanceOf(other.main.FloodgateError);
  expect(error).not.toBeInstanceOf(other.main.PolicyError);
  expect(other.main.isFloodgateError(error)).toBe(true);
  expect(other.main.isFloodgateError(error, 'STORE_UNAVAILABLE')).toBe(true);
  expect(other.main.isFloodgateError(error, 'REQUEST_ID_CONFLICT')).toBe(false);
  expect(other.main.isFloodgateError(new Error('The client is offline'))).toBe(false);
  expect(other.main.isFloodgateError(undefined)).toBe(false);
});

test('an adapter of one copy answers 503 and 409 for errors of the limiter of another', async () => {
  const statusOf = async (store: storesEntry.Store, input = '') => {
    const limiter = one.main.createLimiter({ store, secret });
    const subjects = () => ({ requestId: { id: 'one', input } });
    const handler = other.fetch.rateLimit({ limiter, policy: policyOf(other), subjects })(
      () => new Response(),
    );
    return (await handler(new Request('http://localhost'))).status;
  };
  expect(await statusOf(downStore())).toBe(503);
  const store = one.stores.memoryStore();
  expect([await statusOf(store, 'tea'), await statusOf(store, 'coffee')]).toEqual([200, 409]);
});

test('tRPC: a middleware and an error formatter of one copy fit the limiter of another', async () => {
  const policy = {
    name: 'greet',
    levels: [{ level: 'global', limit: 1, windowMs: 60_000 }],
    message: { en: 'No.' },
  };
  const codeOf = async (limits: trpcEntry.TrpcLimits, calls: number) => {
    const t = initTRPC.context<trpcEntry.RateLimitContext>().create();
    const router = t.router({ greet: t.procedure.use(other.trpc.rateLimit(policy)).query(() => 'Hello.') });
    const caller = t.createCallerFactory(router)(limits.contextOf({}));
    let error: unknown;
    for (let call = 0; call < calls; call += 1)
      error = await caller.greet().catch((thrown: unknown) => thrown);
    // The bundle has its own copy of tRPC, too.
    const { code } = error as TRPCError;
    const { data } = limits.errorFormatter({ shape: { data: {} }, error: error as TRPCError });
    return [code, data.rateLimit?.level];
  };
  const limitsOf = (store: storesEntry.Store) =>
    one.trpc.createTrpcLimits({ limiter: one.main.createLimiter({ store, secret }) });
  expect(await codeOf(limitsOf(downStore()), 1)).toEqual(['SERVICE_UNAVAILABLE', undefined]);
  expect(await codeOf(limitsOf(one.stores.memoryStore()), 2)).toEqual(['TOO_MANY_REQUESTS', 'global']);
});

test('tRPC: policiesOf of one copy lists the limits of another, and its limiter reads them', async () => {
  const t = initTRPC.context<trpcEntry.RateLimitContext>().create();
  const levels = [{ level: 'global', limit: 1, windowMs: 60_000 } as const];
  const policy = { name: 'greet', levels, message: { en: 'No.' } };
  const router = t.router({
    greet: t.procedure.use(other.trpc.rateLimit(policy)).query(() => 'Hello.'),
    health: t.procedure.use(other.trpc.unlimited).query(() => 'Well.'),
  });
  const [listed] = one.trpc.policiesOf(router);
  expect(listed).toMatchObject({ name: 'greet' });
  const limiter = one.main.createLimiter({ store: other.stores.memoryStore(), secret });
  const { contextOf } = one.trpc.createTrpcLimits({ limiter });
  expect(await t.createCallerFactory(router)(contextOf({})).greet()).toBe('Hello.');
  expect(listed && (await limiter.peek(listed, {}))).toMatchObject({ windows: [{ used: 1 }] });
});

test('the queue of one copy runs in the limiter of another, and rejects with an error of both', async () => {
  const store = other.stores.memoryStore();
  const limiter = one.main.createLimiter({ store, secret, queues: other.queues.createQueues });
  const sale = other.main.definePolicy({
    name: 'sale',
    levels: [
      { level: 'user', limit: 9, windowMs: 60_000 },
      {
        level: 'global',
        limit: 1,
        windowMs: 60_000,
        queue: { maxLength: 9, maxWaitMs: 600_000, maxPerSubject: 1 },
      },
    ],
    requestId: () => undefined,
  });
  const join = (requestId: string) =>
    limiter.queue(sale).join({ subjects: { user: 'ada' }, requestId, group: requestId, payload: '' });
  expect(await join('first')).toMatchObject({ queued: false });
  expect(await join('second')).toMatchObject({ queued: true });
  const error = await join('third').catch((thrown: unknown) => thrown);
  expect(one.main.isFloodgateError(error, 'TOO_MANY_TICKETS')).toBe(true);
  await limiter.close();
});

test('a wait of one copy is too long for another', async () => {
  const limiter = one.main.createLimiter({ store: other.stores.memoryStore(), secret });
  const policy = policyOf(other);
  await limiter.wait(policy, {}, { maxWaitMs: 0 });
  await expect(limiter.wait(policy, {}, { maxWaitMs: 0 })).rejects.toBeInstanceOf(
    other.main.WaitTooLongError,
  );
});
