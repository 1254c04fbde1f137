import { TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { clientOf, startTestNode, type TestNode } from '../../test/node';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { User } from '../trpc/context';

const operator: User = { id: 'the-operator', name: 'Ada', role: 'admin' };
const ownRead = { policy: 'own.read', level: 'ip' };

let database: TestDatabase;
let redis: TestService;
/** Two nodes. */
let here: TestNode;
let there: TestNode;

beforeAll(async () => {
  [database, redis] = await Promise.all([freshDatabase(await postgresUrl()), startRedis()]);
  const settings = { REDIS_URL: redis.url, DATABASE_URL: database.url, TRUSTED_PROXIES: '127.0.0.1' };
  [here, there] = await Promise.all([startTestNode(settings), startTestNode(settings)]);
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await Promise.all([redis.stop(), database.drop()]);
});

const from = (node: TestNode, address: string) => clientOf(node, 'ada', { 'x-forwarded-for': address });
const setLimit = async (limit: number) => {
  await clientOf(here, operator).limit.update.mutate({ ...ownRead, limit });
  await waitUntil(async () => {
    const { policies } = await clientOf(there, operator).limit.list.query();
    const level = policies.find(({ policy }) => policy === ownRead.policy)?.levels[0];
    return level?.effective.limit === limit;
  });
};
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof TRPCClientError ? error.data?.rateLimit : undefined;
};

test('the four reads of a visitor share one limit per address on each node, and each call of a batch counts', async () => {
  await setLimit(5);
  const visitor = from(here, '192.0.2.1');
  await visitor.auth.me.query();
  await visitor.limit.mine.query();
  await visitor.queue.mine.query();
  await visitor.order.list.query();
  const batch = await fetch(`${here.url}/api/trpc/auth.me,auth.me?batch=1&input={}`, {
    headers: { 'x-forwarded-for': '192.0.2.1' },
  });
  expect(batch.status).toBe(207);
  for (const read of [visitor.auth.me, visitor.limit.mine, visitor.queue.mine, visitor.order.list])
    expect(await refusalOf(read.query())).toMatchObject({ ...ownRead, limit: 5, windowMs: 60_000 });
  // Another address, and another node.
  await from(here, '192.0.2.2').auth.me.query();
  await from(there, '192.0.2.1').auth.me.query();
});

test('an operator sees the window, and clears it on every node', async () => {
  await setLimit(2);
  for (const node of [here, there]) {
    const { auth } = from(node, '192.0.2.9');
    await Promise.all([auth.me.query(), auth.me.query()]);
    expect(await refusalOf(auth.me.query())).toMatchObject(ownRead);
  }
  await clientOf(here, operator).limit.clear.mutate({ ...ownRead, subject: '192.0.2.9' });
  for (const node of [here, there])
    await waitUntil(async () => !(await refusalOf(from(node, '192.0.2.9').auth.me.query())));
  const { windows } = await from(here, '192.0.2.7').limit.mine.query();
  expect(windows).toContainEqual(expect.objectContaining({ ...ownRead, limit: 2, used: 1 }));
  expect(await (await fetch(`${here.url}/metrics`)).text()).toMatch(
    /decisions_total\{policy="own\.read",level="ip",outcome="refused"\} \d/,
  );
});

test('without Redis these reads are still counted, and are not degraded', async () => {
  await setLimit(3);
  await redis.stop();
  const answers: Response[] = [];
  for (let call = 0; call < 4; call += 1)
    answers.push(
      await fetch(`${here.url}/api/trpc/auth.me`, { headers: { 'x-forwarded-for': '192.0.2.20' } }),
    );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[0]?.headers.get('floodgate-degraded')).toBeNull();
  expect(answers[0]?.headers.get('ratelimit')).toContain('"own.read:ip"');
});
