import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { observable } from '@trpc/server/observable';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import type { RedisClient } from '../../redis/client';
import { createLimiter, type Limiter } from '../limiter';
import type { Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { type RateLimitContext, rateLimit } from './trpc';

interface Context extends RateLimitContext {
  /** The stream of a call. */
  open: (signal: AbortSignal | undefined) => AsyncIterable<number>;
  /** Runs while the subject of a call is read. */
  onSubject?: () => void;
}

const message = { en: 'One stream at a time.' };
const policyOf = (name: string, leaseMs: number): Policy<Context> => ({
  ...{ name, message },
  levels: [
    {
      level: 'caller',
      by({ rateLimit: { caller }, onSubject }) {
        onSubject?.();
        return caller.user;
      },
      ...{ concurrent: 1, leaseMs },
    },
  ],
});
const [policy, short] = [policyOf('stream', 60_000), policyOf('short', 300)];
const t = initTRPC.context<Context>().create();
const router = t.router({
  stream: t.procedure.use(rateLimit(policy)).subscription(({ ctx, signal }) => ctx.open(signal)),
  answer: t.procedure.use(rateLimit(policy)).query(({ ctx, signal }) => ctx.open(signal)),
  short: t.procedure.use(rateLimit(short)).subscription(({ ctx, signal }) => ctx.open(signal)),
  observed: t.procedure.use(rateLimit(policy)).subscription(({ ctx }) =>
    observable<number>((observer) => {
      const values = ctx.open(undefined)[Symbol.asyncIterator]();
      void (async () => {
        for (let step = await values.next(); !step.done; step = await values.next())
          observer.next(step.value);
        observer.complete();
      })().catch((error) => observer.error(error));
    }),
  ),
});

let redis: RedisClient;
let limiter: Limiter;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());
beforeEach(() => {
  limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
  });
});

const contextOf = (open: Context['open']): Context => ({
  rateLimit: { limiter, caller: { user: 'ada' }, language: 'en', decisions: [] },
  open,
});

function callWith(open: Context['open'], signal?: AbortSignal) {
  return t.createCallerFactory(router)(contextOf(open), signal && { signal });
}

async function* countTo(last: number) {
  for (let value = 1; value <= last; value += 1) yield value;
}

/** Values that end when `finish` is called. */
function openStream() {
  let finish: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    finish = resolve;
  });
  async function* open() {
    yield 1;
    await end;
    yield 2;
  }
  return { open, finish };
}

async function* failing() {
  yield 1;
  throw new Error('no paper');
}

async function usedBy(of: Policy<Context>) {
  const { now, windows } = await limiter.peek(resolvePolicy(of, ''), { caller: 'ada' });
  return { now, used: windows[0]?.used };
}

const isFree = async () => (await usedBy(policy)).used === 0;

async function readAll(stream: AsyncIterable<number>): Promise<number[]> {
  const values: number[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

describe.each(['stream', 'answer'] as const)('a generator of a %s holds its lease', (procedure) => {
  test('until it has ended, and refuses a second one of the caller', async () => {
    const { open, finish } = openStream();
    const stream = await callWith(open)[procedure]();
    const values = stream[Symbol.asyncIterator]();
    expect(await values.next()).toEqual({ done: false, value: 1 });
    expect(await usedBy(policy)).toMatchObject({ used: 1 });
    await expect(callWith(open)[procedure]()).rejects.toThrow('One stream at a time.');
    finish();
    expect(await values.next()).toEqual({ done: false, value: 2 });
    expect(await usedBy(policy)).toMatchObject({ used: 1 });
    expect(await values.next()).toEqual({ done: true, value: undefined });
    await waitUntil(isFree);
    expect(await readAll(await callWith(() => countTo(3))[procedure]())).toEqual([1, 2, 3]);
  });

  test('until it throws', async () => {
    await expect(readAll(await callWith(failing)[procedure]())).rejects.toThrow('no paper');
    await waitUntil(isFree);
  });

  test('until its reader leaves, also before the first value', async () => {
    for await (const _value of await callWith(() => countTo(3))[procedure]()) break;
    await waitUntil(isFree);
    const unread = (await callWith(() => countTo(3))[procedure]())[Symbol.asyncIterator]();
    expect(await usedBy(policy)).toMatchObject({ used: 1 });
    await unread.return?.();
    await waitUntil(isFree);
  });

  test('until its call is aborted, also while it waits for a value', async () => {
    const abort = new AbortController();
    const { open, finish } = openStream();
    const values = (await callWith(open, abort.signal)[procedure]())[Symbol.asyncIterator]();
    await values.next();
    const waiting = values.next();
    abort.abort();
    await waitUntil(isFree);
    finish();
    expect(await waiting).toEqual({ done: false, value: 2 });
  });
});

test('an iterable that is no generator holds its lease until its iterator has ended', async () => {
  const numbers = { name: 'numbers', [Symbol.asyncIterator]: () => countTo(2) };
  const stream = await callWith(() => numbers).stream();
  expect(stream).toHaveProperty('name', 'numbers');
  expect(await readAll(stream)).toEqual([1, 2]);
  await waitUntil(isFree);
  const endless = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }) };
  for await (const _value of await callWith(() => endless).stream()) break;
  await waitUntil(isFree);
});

test('other results are returned as they are, and release the lease at once', async () => {
  const others = [{ subscribe: true }, new ReadableStream(), Readable.from([1])];
  for (const other of others) {
    expect(await callWith(() => other as never).answer()).toBe(other);
    await waitUntil(isFree);
  }
});

test('an observable holds its lease until it completes, fails, or its reader unsubscribes', async () => {
  const { open, finish } = openStream();
  const [next, error, complete] = [vi.fn(), vi.fn(), vi.fn()];
  const first = (await callWith(open).observed()).subscribe({ next, error, complete });
  await waitUntil(() => next.mock.calls.length > 0);
  expect(await usedBy(policy)).toMatchObject({ used: 1 });
  finish();
  await waitUntil(() => complete.mock.calls.length > 0);
  await waitUntil(isFree);
  first.unsubscribe();
  (await callWith(failing).observed()).subscribe({ next, error, complete });
  await waitUntil(() => error.mock.calls.length > 0);
  await waitUntil(isFree);
  const endless = openStream();
  (await callWith(endless.open).observed()).subscribe({ next, error, complete }).unsubscribe();
  await waitUntil(isFree);
});

test('the lease of an open stream is renewed', async () => {
  const { open, finish } = openStream();
  const values = (await callWith(open).short())[Symbol.asyncIterator]();
  await values.next();
  const { now: begun } = await usedBy(short);
  for (let now = begun; now < begun + 900; ) {
    const current = await usedBy(short);
    expect(current.used).toBe(1);
    now = current.now;
  }
  finish();
});

test('a stream without a reader keeps its lease for one length of it', async () => {
  await callWith(() => countTo(1)).short();
  expect(await usedBy(short)).toMatchObject({ used: 1 });
  await waitUntil(async () => (await usedBy(short)).used === 0);
});

test('a call that is aborted before its decision runs no procedure and holds no lease', async () => {
  const abort = new AbortController();
  const open = vi.fn(() => countTo(1));
  const context = { ...contextOf(open), onSubject: () => abort.abort() };
  const caller = t.createCallerFactory(router)(context, { signal: abort.signal });
  for (const procedure of ['stream', 'answer'] as const) {
    await expect(caller[procedure]()).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
    await waitUntil(isFree);
  }
  expect(context.rateLimit.decisions).toMatchObject([{ allowed: true }, { allowed: true }]);
  expect(open).not.toHaveBeenCalled();
});

test('the end of a request reaches the calls of a caller without a signal', async () => {
  const abort = new AbortController();
  const open = vi.fn(() => countTo(1));
  const context = contextOf(open);
  context.rateLimit.signal = abort.signal;
  const caller = t.createCallerFactory(router)({ ...context, onSubject: () => abort.abort() });
  await expect(caller.stream()).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  await waitUntil(isFree);
  expect(open).not.toHaveBeenCalled();
});

test('over HTTP, an event stream holds its lease until the client disconnects', async () => {
  const server = createHTTPServer({ router, createContext: () => contextOf(() => openStream().open()) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const abort = new AbortController();
  try {
    const response = await fetch(`http://127.0.0.1:${port}/stream`, { signal: abort.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(await usedBy(policy)).toMatchObject({ used: 1 });
    abort.abort();
    await waitUntil(isFree);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
