import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { startTestNode, type TestNode } from '../../test/node';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { AppRouter } from '../router';
import type { User } from '../trpc/context';

let database: TestDatabase;
let redis: TestService;
let here: TestNode;
let there: TestNode;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
  redis = await startRedis();
  const settings = { REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' };
  here = await startTestNode(settings);
  there = await startTestNode(settings);
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await redis.stop();
  await database.drop();
});

const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };
const shopper: User = { id: 'eve', name: 'Eve', role: 'shopper' };

function as(user: User | undefined, node = here) {
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${node.url}/api/trpc`,
        headers: user ? { cookie: node.sessions.createCookieHeader(user) } : {},
      }),
    ],
  });
}

async function errorDataOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (error instanceof TRPCClientError) return { message: error.message, ...error.data };
    throw error;
  }
  throw new Error('the call was answered');
}

const isRefused = async (call: Promise<unknown>) =>
  call.then(
    () => false,
    (error: unknown) => error instanceof TRPCClientError && error.data?.code === 'TOO_MANY_REQUESTS',
  );

const lastEntry = async () => (await as(admin).ops.audit.query({})).entries[0];

describe('a full window whose denial every node caches', () => {
  let email = '';
  const sendCode = (node: TestNode) => isRefused(as(undefined, node).auth.sendCode.mutate({ email }));
  const isOpen = (node: TestNode) => waitUntil(async () => !(await sendCode(node)));

  beforeEach(async () => {
    email = `ada.${Math.random().toString(36).slice(2)}@example.com`;
    for (let call = 0; call < 3; call += 1) expect(await sendCode(here)).toBe(false);
    expect(await sendCode(here)).toBe(true);
    expect(await sendCode(there)).toBe(true);
  });

  test('admits on all nodes within a second of limit.clear, and the audit log has the masked subject', async () => {
    const typed = ` ${email.toUpperCase()}`;
    const call = { policy: 'auth.sendCode', level: 'email', subject: typed };
    expect(await as(admin).limit.clear.mutate(call)).toEqual({});
    await isOpen(there);
    expect(await sendCode(here)).toBe(false);
    expect(await lastEntry()).toMatchObject({
      ...{ who: 'the-admin', what: 'limit.clear', target: 'auth.sendCode:email' },
      after: { subject: 'ada…om' },
    });
  });

  test('accepts the ref and the mask of an operator page', async () => {
    // The list may show the address of an earlier test first.
    const clearListed = async () => {
      const { subjects } = await as(admin).ops.subjects.query();
      for (const { policy, level, ref, subject } of subjects) {
        if (policy === 'auth.sendCode' && level === 'email')
          await as(admin).limit.clear.mutate({ policy, level, subject: ref, mask: subject });
      }
      return !(await sendCode(there));
    };
    await waitUntil(clearListed, { interval: 300 });
    expect(await lastEntry()).toMatchObject({ what: 'limit.clear', after: { subject: 'ada…om' } });
  });
});

test('a global window is cleared without a subject', async () => {
  expect(await as(admin).limit.clear.mutate({ policy: 'coupon.seckill', level: 'global' })).toEqual({});
  expect(await lastEntry()).toMatchObject({ target: 'coupon.seckill:global', after: { subject: 'all' } });
});

test('an address is parsed into the counted network', async () => {
  const crowd = (node: TestNode) =>
    isRefused(as(undefined, node).lab.run.mutate({ algorithms: [], limit: 1, windowMs: 1, arrivals: [] }));
  await waitUntil(() => crowd(here));
  expect(await crowd(there)).toBe(true);
  await as(admin).limit.clear.mutate({ policy: 'lab', level: 'ip', subject: '::ffff:127.0.0.1' });
  await waitUntil(async () => !(await crowd(there)));
});

describe('limit.clear answers', () => {
  const clear = (
    input: { policy: string; level: string; subject?: string },
    user: User | undefined = admin,
  ) => errorDataOf(as(user).limit.clear.mutate(input));

  test('401 and 403 before anything else', async () => {
    const nothing = { policy: '', level: '' };
    expect(await errorDataOf(as(undefined).limit.clear.mutate(nothing))).toMatchObject({ httpStatus: 401 });
    expect(await clear(nothing, shopper)).toMatchObject({ httpStatus: 403 });
  });

  test('404 for a policy or a level that does not exist', async () => {
    expect(await clear({ policy: 'nothing', level: 'global' })).toMatchObject({ httpStatus: 404 });
    expect(await clear({ policy: 'merchant', level: 'global' })).toMatchObject({ httpStatus: 404 });
  });

  test('400 with a message for a missing, superfluous or invalid subject', async () => {
    const field = { httpStatus: 400, problems: [{ field: 'subject' }] };
    expect(await clear({ policy: 'merchant', level: 'ip' })).toMatchObject({
      ...field,
      message: expect.stringContaining('give the subject'),
    });
    expect(await clear({ policy: 'coupon.seckill', level: 'global', subject: 'ada' })).toMatchObject(field);
    expect(await clear({ policy: 'merchant', level: 'ip', subject: 'localhost' })).toMatchObject(field);
  });

  test('503 without Redis, and the audit log has no entry', async () => {
    const before = await lastEntry();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      expect(await clear({ policy: 'coupon.seckill', level: 'global' })).toMatchObject({ httpStatus: 503 });
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await waitUntil(async () => (await fetch(`${here.url}/readyz`)).ok);
    expect(await lastEntry()).toEqual(before);
  });
});
