import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestLab, type TestLab } from '../../test/lab';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { waitUntil } from '../../test/wait-until';
import { mapInChunks } from '../experiments/map-in-chunks';
import { saleKeys } from '../redis/keys';
import { algorithms } from './algorithms';
import { cardIds } from './cards/cards';
import { raceVariants } from './race';

let service: TestService;
let lab: TestLab;
beforeEach(async () => {
  service = await startRedis();
  lab = await startTestLab(service.url);
});
afterEach(async () => {
  await lab.stop();
  await service.stop();
});

/** Runs every operation of the lab once. */
async function doEverything(): Promise<void> {
  const rule = { limit: 5, windowMs: 1_000 };
  for (const variant of raceVariants) await lab.race({ variant, ...rule, concurrency: 20 });
  for (const mistake of cardIds) await lab.showMistake({ mistake, language: 'en' });
  await lab.measureRoundTrips({});
  await lab.compareStorages({ hits: 10, windowMs: 1_000 });
  await lab.measureGrowth({});
  const limits = { gateway: rule, api: rule, user: rule };
  await lab.runLadder({});
  await lab.examine({ limiter: 'four-commands' });
  await lab.compareLayers({ calls: [{ at: 0, address: 1, user: 1 }], limits });
  // Last, because the key of its progress expires soon.
  await lab.run({ algorithms, ...rule, arrivals: [0, 1, 2], runId: randomUUID() });
}

/** Reads the value and the expiry of every key outside the lab. */
async function everythingElse(): Promise<Record<string, unknown>> {
  const keys = (await lab.redis.keys('*')).filter((key) => !key.startsWith('lab:'));
  const held = keys.map(async (key) => [
    key,
    (await lab.redis.dumpBuffer(key))?.toString('hex'),
    await lab.redis.expiretime(key),
  ]);
  return Object.fromEntries((await Promise.all(held)).map(([key, ...what]) => [key, what]));
}

test('the lab changes no key of the sale or of its limits, names only lab keys, and every remaining key expires', async () => {
  const sale = saleKeys('lab');
  await lab.redis.hset(sale.gate, { remaining: 100 });
  await lab.redis.hset(sale.buyers, { ada: 'order' });
  await lab.redis.xadd(sale.outbox, '*', 'order', 'one');
  await lab.redis.set('limit:{coupon.seckill}:global:all', 'packed', 'EX', 1_000);
  await lab.redis.zadd('limit:{lab.tap:1}:bans', 1, 'ada');
  const before = await everythingElse();
  expect(Object.keys(before)).toHaveLength(5);

  const spy = new Redis(service.url, { lazyConnect: true, protocol: 2 });
  await spy.connect();
  const monitor = await spy.monitor();
  const commands: string[][] = [];
  monitor.on('monitor', (_time: string, command: string[]) => commands.push(command));
  await doEverything();
  await lab.redis.echo('the end');
  const end = await waitUntil(() => commands.findIndex(([name]) => name === 'echo') + 1);
  monitor.disconnect();
  spy.disconnect();
  expect(await everythingElse()).toEqual(before);
  const left = await lab.redis.keys('lab:*');
  expect(left).toEqual([expect.stringMatching(/:progress$/)]);
  expect(await lab.redis.pttl(left[0] ?? '')).toBeGreaterThan(0);

  // Commands that differ in ids and numbers only name keys of the same pattern.
  const byPattern = new Map(
    commands
      .slice(0, end - 1)
      .map((command) => [command.join(' ').replaceAll(/[0-9a-f-]{8,}|\d+/g, '#'), command]),
  );
  const keys = new Set<string>();
  const keyless = new Set<string>();
  // In chunks, because a busy Redis would not answer all of them within the timeout of a command.
  await mapInChunks(
    [...byPattern.values()],
    async ([name = '', ...args]) => {
      const found = await lab.redis.call('COMMAND', 'GETKEYS', name, ...args).catch(expectNoKeys);
      if (Array.isArray(found)) for (const key of found) keys.add(String(key));
      else keyless.add(name.toLowerCase());
    },
    { signal: new AbortController().signal },
  );
  expect([...keys].filter((key) => !/^lab:(\{[0-9a-f-]+\}|[0-9a-f]{8}):/.test(key))).toEqual([]);
  expect(keys.size).toBeGreaterThan(30);
  // Commands that open a connection, frame a transaction or read the clock.
  const harmless = ['client', 'exec', 'hello', 'info', 'multi', 'ping', 'time'];
  expect([...keyless].filter((name) => !harmless.includes(name))).toEqual([]);
});

/** Rethrows every error except that of a command without keys. */
function expectNoKeys(error: Error): undefined {
  if (!/no key arguments|wrong number of arguments|Invalid command/i.test(error.message)) throw error;
}

test('experiments use only connections of the lab', async () => {
  const before = await lab.redis.client('LIST');
  await lab.race({ variant: 'product', limit: 1, windowMs: 1, concurrency: 20 });
  const during = await lab.redis.client('LIST');
  const connections = (list: unknown) => String(list).trim().split('\n').length;
  expect(connections(during) - connections(before)).toBe(8);
  await lab.stop();
  lab = await startTestLab(service.url);
  await waitUntil(async () => connections(await lab.redis.client('LIST')) === connections(before));
});
