import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { sql } from 'drizzle-orm';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { insertCoupon } from '../test/coupons';
import { freshDatabase, type TestDatabase } from '../test/database';
import { databases } from '../test/databases';
import { clientOf, openCoupon as openCouponOn, startTestNode, type TestNode } from '../test/node';
import { startRedis } from '../test/services/redis';
import type { TestService } from '../test/services/test-service';
import { waitUntil } from '../test/wait-until';
import type { User } from './trpc/context';

const operator: User = { id: 'the-operator', name: 'Ada', role: 'admin' };

describe.each(databases)('reads on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let node: TestNode;

  beforeAll(async () => {
    [database, redis] = await Promise.all([freshDatabase(await url(), { pglite }), startRedis()]);
    node = await startTestNode({
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      FLOODGATE_PGLITE: pglite ? '1' : '0',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await node.stop();
    await Promise.all([redis.stop(), database.drop()]);
  });

  const as = (user: User | string) => clientOf(node, user);

  /** GETs one batch that calls a query once for each input, as a visitor behind a proxy. */
  async function batch(path: string, inputs: readonly unknown[], visitor = '192.0.2.1'): Promise<Response> {
    const paths = inputs.map(() => path).join(',');
    const query = new URLSearchParams({ batch: '1', input: JSON.stringify({ ...inputs }) });
    return fetch(`${node.url}/api/trpc/${paths}?${query}`, { headers: { 'x-forwarded-for': visitor } });
  }

  const openCoupon = (values?: Parameters<typeof insertCoupon>[1]) =>
    openCouponOn({ db: database.db, sale: node.sale }, values);

  test('ten limit.mine in one request read the window of each policy once', async () => {
    // The first call of all is sent twice: Redis has to load the function.
    await batch('limit.mine', [null]);
    const commands = await monitorCommands(redis.url, async () => {
      const answer = await batch('limit.mine', Array(10).fill(null));
      expect(answer.status).toBe(200);
      expect(await answer.json()).toHaveLength(10);
    });
    // What the function itself reads is listed as well.
    const calls = commands.filter(([name]) => name === 'fcall').flat();
    expect(calls.filter((arg) => arg.startsWith('limit:{merchant'))).toHaveLength(1);
  });

  test('each call of a batch of reads is charged, and the refused ones have their own error', async () => {
    const id = await openCoupon();
    await as(operator).limit.update.mutate({ policy: 'coupon.read', level: 'ip', limit: 15 });
    onTestFinished(async () => {
      await as(operator).limit.reset.mutate({ policy: 'coupon.read', level: 'ip' });
    });
    const visitor = '192.0.2.15';
    const read = () => batch('coupon.byId', Array(10).fill({ id }), visitor);
    const first = await read();
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit')).toMatch(/"coupon\.read:ip";r=\d+/);
    const second = await read();
    expect(second.status).toBe(207);
    const items: { error?: { message: string; data: { rateLimit: object } } }[] = await second.json();
    const refused = items.filter(({ error }) => error);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.error).toMatchObject({
      message: 'Your internet connection has opened too many pages in a short time.',
      data: { rateLimit: { policy: 'coupon.read', level: 'ip', limit: 15, windowMs: 60_000 } },
    });
    expect((await batch('coupon.list', [{}], visitor)).status, 'one window for both').toBe(429);
    expect((await batch('coupon.list', [{}], '192.0.2.16')).status, 'another address').toBe(200);
  });

  test('order.pay and order.cancel share one limit', async () => {
    const { order } = as('cleo');
    const changes = [order.pay, order.cancel, order.pay, order.cancel, order.pay, order.cancel];
    for (const change of changes)
      await expect(change.mutate({ id: 'none' })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } });
    for (const change of [order.pay, order.cancel]) {
      await expect(change.mutate({ id: 'none' })).rejects.toMatchObject({
        data: { rateLimit: { policy: 'order.change', level: 'user', limit: 6, windowMs: 60_000 } },
      });
    }
    expect((await order.list.query()).orders).toEqual([]);
  });

  test('coupon.list has the coupons of the given ids as well, shown or not, and none that do not exist', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    const over = await insertCoupon(database.db, {
      startsAt: new Date(Date.now() - 4 * dayMs),
      endsAt: new Date(Date.now() - 3 * dayMs),
    });
    const shown = await openCoupon();
    const { coupon } = as('ada');
    await waitUntil(async () => (await coupon.list.query()).coupons.some(({ id }) => id === shown));
    const { coupons } = await coupon.list.query({ ids: [over, shown, 'none'] });
    const ids = coupons.map(({ id }) => id);
    expect(ids.filter((id) => id === shown)).toHaveLength(1);
    expect(coupons.find(({ id }) => id === over)).toMatchObject({ state: 'ended' });
    expect(ids).not.toContain('none');
    expect((await coupon.list.query()).coupons.some(({ id }) => id === over)).toBe(false);
    expect((await coupon.byId.query({ id: over })).coupon).toMatchObject({ id: over, state: 'ended' });
    await expect(coupon.byId.query({ id: 'none' })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } });
  });

  test('a flood of reads from many addresses leaves purchases confirmed and /readyz at 200', async () => {
    const couponId = await openCoupon({ kind: 'claim', priceCents: 0 });
    const flood = Promise.all(
      Array.from({ length: 60 }, (_, index) => [
        batch(
          'coupon.byId',
          Array.from({ length: 10 }, (_, n) => ({ id: `none-${index}-${n}` })),
          `198.51.100.${index}`,
        ),
        batch('merchant.list', Array(5).fill({}), `203.0.113.${index}`),
      ]).flat(),
    );
    const [replies, readyz] = await Promise.all([
      Promise.all(
        Array.from({ length: 10 }, (_, index) => as(`flooded-${index}`).coupon.claim.mutate({ couponId })),
      ),
      fetch(`${node.url}/readyz`),
    ]);
    for (const reply of replies) expect(reply.outcome).toBe('accepted');
    expect(readyz.status).toBe(200);
    const statuses = new Set((await flood).map(({ status }) => status));
    expect([200, 207, 404, 503].filter((status) => statuses.has(status)).length).toBe(statuses.size);
    await waitUntil(async () => {
      const mine = await as('flooded-9').order.list.query();
      return mine.orders.every(({ status }) => status === 'confirmed');
    });
  });

  // A lock of another session cannot be had on PGlite, which is one session.
  if (!pglite)
    test('reads that a lock holds up take no connection from the ledger', async () => {
      const couponId = await openCoupon({ kind: 'claim', priceCents: 0 });
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      await holder.query('begin; lock table merchants in access exclusive mode');
      const answers: number[] = [];
      const stuck = Array.from({ length: 150 }, (_, index) =>
        batch('merchant.list', [{}], `203.0.113.${index}`).then(({ status }) => void answers.push(status)),
      );
      const waiting = async () => {
        const { rows } = await database.db.execute<{ n: number }>(
          sql`select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rows[0]?.n ?? 0;
      };
      await waitUntil(async () => (await waiting()) >= 2);
      const reply = await as('unlocked').coupon.claim.mutate({ couponId });
      expect(reply.outcome).toBe('accepted');
      await waitUntil(() =>
        database.db.query.orders.findFirst({ where: (order, { eq }) => eq(order.userId, 'unlocked') }),
      );
      expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
      await waitUntil(() => answers.includes(503));
      // A read that times out frees its connection for the next one, so fewer wait for a moment.
      await waitUntil(async () => {
        const held = await waiting();
        expect(held, 'the others wait in the node').toBeLessThanOrEqual(2);
        return held === 2;
      });
      await holder.query('rollback');
      await holder.end();
      await Promise.all(stuck);
      // On a slow machine, all of them have waited for two seconds, and failed.
      await waitUntil(async () => (await batch('merchant.list', [{}], '203.0.113.200')).status === 200);
    });
});

const ARGUMENT = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns the commands that Redis executes during some work, including those of its functions, as MONITOR prints them.
 * ioredis's own monitor fails if the reply to MONITOR and the first command arrive in one chunk.
 */
async function monitorCommands(url: string, work: () => Promise<unknown>): Promise<string[][]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = createInterface({ input: socket });
  const commands: string[][] = [];
  const end = randomUUID();
  const client = new Redis(url);
  try {
    socket.write('MONITOR\r\n');
    await once(lines, 'line');
    const seen = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        const command = [...line.matchAll(ARGUMENT)].map(([, argument = '']) => argument);
        if (command.includes(end)) resolve();
        else commands.push(command);
      });
    });
    await work();
    await client.echo(end);
    await seen;
    return commands;
  } finally {
    client.disconnect();
    socket.destroy();
  }
}
