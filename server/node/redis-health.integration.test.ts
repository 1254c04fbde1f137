import { Writable } from 'node:stream';
import { TRPCClientError } from '@trpc/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { clientOf, startTestNode, type TestNode } from '../../test/node';
import { connectTestRedis } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { RedisClient } from '../redis/client';

let service: TestService;
let database: TestDatabase;
let redis: RedisClient;
let node: TestNode;
let lines: { level: number; kind?: string; msg: string; err?: { cause?: { message: string } } }[];

beforeEach(async () => {
  service = await startRedis();
  database = await freshDatabase(await postgresUrl());
  redis = await connectTestRedis(service.url);
  await redis.acl('SETUSER', 'node', 'on', '>secret', '~*', '&*', ...rights);
  lines = [];
  const logTo = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()));
      done();
    },
  });
  node = await startTestNode(
    {
      REDIS_URL: service.url.replace('//', '//node:secret@'),
      DATABASE_URL: database.url,
      FLOODGATE_DEMO: '1',
    },
    { level: 'warn', logTo },
  );
});
afterEach(async () => {
  await node.stop();
  redis.disconnect();
  await service.stop();
  await database.drop();
});

/** The rights of a node in docs/runbook.md. */
const rights = ['+@all', '-@dangerous', '+info'];

const sendCode = (email = 'ada@example.com') =>
  clientOf(node)
    .auth.sendCode.mutate({ email })
    .then(
      () => 200,
      (error: unknown) => (error instanceof TRPCClientError ? error.data?.httpStatus : undefined),
    );

async function readyz() {
  const answer = await fetch(`${node.url}/readyz`);
  return { status: answer.status, ...(await answer.json()) };
}

const metrics = async () => (await fetch(`${node.url}/metrics`)).text();
const repliesOf = (kind: string) => lines.filter((line) => line.kind === kind);

test.each([
  {
    kind: 'NOPERM',
    begin: () => redis.acl('SETUSER', 'node', '-fcall', '-eval', '-evalsha'),
    end: () => redis.acl('SETUSER', 'node', ...rights),
  },
  {
    kind: 'OOM',
    begin: () => redis.config('SET', 'maxmemory', '1'),
    end: () => redis.config('SET', 'maxmemory', '0'),
  },
])(
  'Redis replies $kind to every decision: the cause is logged and counted, and the node is not ready',
  async ({ kind, begin, end }) => {
    expect(await sendCode()).toBe(200);
    expect((await readyz()).dependencies).toMatchObject({ redis: { ok: true }, redisErrors: { ok: true } });
    await begin();
    for (let call = 0; call < 20; call += 1) expect(await sendCode()).toBe(503);
    await waitUntil(async () => (await readyz()).status === 503);
    const { ready, dependencies } = await readyz();
    expect(ready).toBe(false);
    expect(dependencies.redis).toEqual({ ok: false, detail: `answers decisions with an error: ${kind}` });
    expect(dependencies.redisErrors).toMatchObject({
      ok: false,
      detail: expect.stringMatching(new RegExp(`^error replies in the last minute: .*\\d+ × ${kind}`)),
    });
    expect(
      Number(
        new RegExp(`^floodgate_store_errors_total{kind="${kind}"} (\\d+)$`, 'm').exec(await metrics())?.[1],
      ),
    ).toBeGreaterThanOrEqual(20);
    expect(repliesOf(kind)).toHaveLength(1);
    expect(repliesOf(kind)[0]).toMatchObject({
      level: 50,
      msg: 'Redis replied with an error.',
      err: { cause: { message: expect.stringContaining(kind) } },
    });
    expect((await node.readOps()).health).toMatchObject({ redisErrors: { ok: false } });

    await end();
    await waitUntil(async () => (await readyz()).ready);
    expect(await sendCode('bob@example.com')).toBe(200);
  },
);

test('a key of the wrong type fails its own calls: the node stays ready and shows the error', async () => {
  await sendCode();
  const key = (await redis.keys('limit:{auth.sendCode}:email:*'))[0] ?? '';
  await redis.del(key);
  await redis.lpush(key, 'a list');
  expect(await sendCode()).toBe(503);
  expect(await sendCode('bob@example.com')).toBe(200);
  await waitUntil(async () => !(await readyz()).dependencies.redisErrors.ok);
  expect(await readyz()).toMatchObject({ status: 200, dependencies: { redis: { ok: true } } });
  expect(await metrics()).toContain('floodgate_store_errors_total{kind="WRONGTYPE"} 1');
});
