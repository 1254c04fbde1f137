import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../test/database';
import { startTestNode, type TestNode } from '../test/node';
import { startRedis } from '../test/services/redis';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  [database, redis] = await Promise.all([postgresUrl().then((url) => freshDatabase(url)), startRedis()]);
  node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url });
});
afterAll(async () => {
  await node.stop();
  await Promise.all([redis.stop(), database.drop()]);
});

/** GETs one batch that calls a query as many times as there are inputs. */
async function batch(path: string, inputs: readonly unknown[]): Promise<Response> {
  const paths = inputs.map(() => path).join(',');
  const query = new URLSearchParams({ batch: '1', input: JSON.stringify({ ...inputs }) });
  return fetch(`${node.url}/api/trpc/${paths}?${query}`);
}

test('ten limit.mine in one request read the window of each policy once', async () => {
  // The first call of all is sent twice: Redis has to load the function.
  await batch('limit.mine', [null]);
  const client = new Redis(redis.url);
  const monitor = await client.monitor();
  const readKeys: string[] = [];
  monitor.on('monitor', (_time: string, [command, ...args]: string[]) => {
    // What the function itself reads is listed as well.
    if (command === 'fcall') readKeys.push(...args.filter((arg) => arg.startsWith('limit:{merchant')));
  });

  const answer = await batch('limit.mine', Array(10).fill(null));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveLength(10);
  await Promise.all([once(monitor, 'monitor'), client.echo('the monitor has seen all before this')]);
  expect(readKeys).toHaveLength(1);

  monitor.disconnect();
  client.disconnect();
});
