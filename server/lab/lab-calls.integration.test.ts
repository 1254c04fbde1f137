import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { startTestNode, type TestNode } from '../../test/node';
import { connectTestRedis } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { RedisClient } from '../redis/client';
import type { AppRouter } from '../router';

let database: TestDatabase;
let service: TestService;
let redis: RedisClient;
let node: TestNode;

beforeAll(async () => {
  [database, service] = await Promise.all([freshDatabase(await postgresUrl()), startRedis()]);
  redis = await connectTestRedis(service.url);
  node = await startTestNode({
    REDIS_URL: service.url,
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: '127.0.0.1/32',
  });
});
afterAll(async () => {
  await node?.stop();
  redis?.disconnect();
  await Promise.all([service?.stop(), database?.drop()]);
});

/** Each test uses a separate address, so that its windows are empty. */
let headers: Record<string, string>;
let addresses = 0;
beforeEach(useNextAddress);

function useNextAddress(): void {
  addresses += 1;
  headers = { 'x-forwarded-for': `198.51.100.${addresses}` };
}

function client() {
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${node.url}/api/trpc`, headers })] });
}

/** Posts an input that the types would reject. */
async function post(path: string, input: unknown): Promise<{ status: number; message?: string }> {
  const answer = await fetch(`${node.url}/api/trpc/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  });
  const { error } = (await answer.json()) as { error?: { message: string } };
  return { status: answer.status, ...(error && { message: error.message }) };
}

async function errorOf(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error instanceof TRPCClientError) return error;
  throw error ?? new Error('the call did not fail');
}

const run = { algorithms: ['sliding-log'], limit: 1, windowMs: 1_000, arrivals: [0] };
const race = { limit: 1, windowMs: 1_000, concurrency: 10, variant: 'product' };
const numbers = (count: number) => [...Array(count).keys()];

describe('inputs', () => {
  test.each([
    ['lab.run', { ...run, algorithms: [] }],
    ['lab.run', { ...run, algorithms: ['sliding-log', 'sliding-log'] }],
    ['lab.run', { ...run, algorithms: ['guesswork'] }],
    ['lab.run', { ...run, limit: 0 }],
    ['lab.run', { ...run, limit: 10_001 }],
    ['lab.run', { ...run, windowMs: 0.5 }],
    ['lab.run', { ...run, windowMs: 600_001 }],
    ['lab.run', { ...run, subWindows: 0 }],
    ['lab.run', { ...run, subWindows: 101 }],
    ['lab.run', { ...run, arrivals: [-1] }],
    ['lab.run', { ...run, arrivals: [null] }],
    ['lab.run', { ...run, arrivals: [86_400_001] }],
    ['lab.run', { ...run, arrivals: numbers(5_001) }],
    ['lab.run', { ...run, runId: 'limit:{coupon.seckill}' }],
    ['lab.race', { ...race, concurrency: 0 }],
    ['lab.race', { ...race, concurrency: 501 }],
    ['lab.race', { ...race, variant: 'luck' }],
    ['lab.mistake', { mistake: 'flushall' }],
    ['lab.storages', { hits: 5_001, windowMs: 1_000 }],
    ['lab.layers', { calls: [[0, 1_000, 0]], limits: {} }],
    ['lab.examine', { limiter: 'http://127.0.0.1' }],
    ['lab.examine', { limiter: 'sliding-log', runId: '1' }],
  ])('%s rejects an invalid input with 400 and the field: %#', async (path, input) => {
    const { status, message } = await post(path, input);
    expect(status).toBe(400);
    expect(message).toMatch(
      /^(algorithms|limit|windowMs|subWindows|arrivals|runId|concurrency|variant|mistake|hits|calls)/,
    );
  });

  test('5,000 arrivals of five digits fit into one call, six digits do not', async () => {
    const { runs } = await client().lab.run.mutate({
      algorithms: ['fixed-window'],
      limit: 100,
      windowMs: 10_000,
      arrivals: numbers(5_000).map((index) => index * 19),
    });
    expect(runs[0]?.decisions).toHaveLength(5_000);
    const long = { ...run, arrivals: numbers(5_000).map((index) => 100_000 + index) };
    expect(await post('lab.run', long)).toMatchObject({ status: 413 });
  });
});

test('experiments of one address share ten calls a minute, and progress is free', async () => {
  const { lab } = client();
  for (const _ of numbers(5)) await lab.run.mutate({ ...run, algorithms: ['sliding-log'] });
  for (const _ of numbers(4)) await lab.race.mutate({ ...race, variant: 'product' });
  await lab.mistake.mutate({ mistake: 'cross-slot' });
  const { data } = await errorOf(lab.roundTrips.mutate());
  expect(data?.rateLimit).toMatchObject({ policy: 'lab', level: 'ip', limit: 10, windowMs: 60_000 });
  expect(await lab.progress.query({ runId: randomUUID() })).toBeNull();
});

test('the ladder warns at the second violation and bans for 20 s at the fourth, in its own window', async () => {
  const { lab, limit } = client();
  for (const _ of numbers(3)) expect(await lab.tap.mutate()).toEqual({});
  const refusals = [];
  for (const _ of numbers(5)) refusals.push((await errorOf(lab.tap.mutate())).data?.rateLimit);
  expect(refusals.map((one) => [one?.reason, one?.violations, one?.warning])).toEqual([
    ['limited', 1, false],
    ['limited', 2, true],
    ['limited', 3, true],
    ['banned', 4, true],
    ['banned', 4, true],
  ]);
  const { windows, serverNow } = await limit.mine.query();
  const [ladder] = windows.filter(({ policy }) => policy === 'lab.tap');
  expect((ladder?.bannedUntil ?? 0) - serverNow).toBeGreaterThan(15_000);
  expect((ladder?.bannedUntil ?? 0) - serverNow).toBeLessThanOrEqual(20_000);
  expect(windows.find(({ policy }) => policy === 'lab')).toMatchObject({ used: 0 });
});

test('recent calls of the sale contain only times', async () => {
  const { lab } = client();
  const before = await lab.arrivals.query();
  const couponId = await insertCoupon(database.db);
  const headersOf = (name: string) => ({
    cookie: node.sessions.createCookieHeader({ id: name, name, role: 'shopper' }),
  });
  const shoppers = ['ada', 'bob', 'eve'].map((name) =>
    createTRPCClient<AppRouter>({
      links: [httpLink({ url: `${node.url}/api/trpc`, headers: headersOf(name) })],
    }).coupon.seckill.mutate({ couponId }),
  );
  await Promise.all(shoppers);
  // Nodes publish arrivals with a delay of up to 1.5 s.
  const recorded = await waitUntil(
    async () => {
      useNextAddress();
      const found = await client().lab.arrivals.query();
      return found.arrivals.length >= 3 && found;
    },
    { interval: 200 },
  );
  expect(before.arrivals).toEqual([]);
  expect(Object.keys(recorded).sort()).toEqual(['arrivals', 'from', 'policy', 'to']);
  expect(recorded.policy).toBe('coupon.seckill');
  expect(recorded.arrivals).toHaveLength(3);
  for (const at of recorded.arrivals) {
    expect(at).toBeGreaterThanOrEqual(0);
    expect(at).toBeLessThanOrEqual(recorded.to - recorded.from);
  }
});

test('a disconnect aborts the run, and the next run starts at once', async () => {
  const runId = randomUUID();
  const disconnect = new AbortController();
  const { lab } = client();
  const call = lab.run.mutate(
    {
      algorithms: ['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket', 'leaky-bucket'],
      limit: 100,
      windowMs: 1_000,
      arrivals: numbers(5_000),
      runId,
    },
    { signal: disconnect.signal },
  );
  const ended = errorOf(call);
  await waitUntil(() => lab.progress.query({ runId }), { interval: 1 });
  disconnect.abort();
  await ended;
  await lab.run.mutate({ ...run, algorithms: ['sliding-log'] });
  expect((await lab.progress.query({ runId }))?.done).toBeLessThan(25_000);
  expect(await redis.keys('lab:{????????}:*')).toEqual([]);
});

test('while Redis is down the lab answers 503, and recovers', async () => {
  const { port } = service;
  await service.kill();
  expect(await post('lab.run', run)).toMatchObject({ status: 503 });
  await service.stop();
  service = await startRedis({ port });
  await waitUntil(async () => (await post('lab.run', run)).status === 200);
});
