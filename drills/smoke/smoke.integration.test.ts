import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../scripts/lib/processes.mjs';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { clientOf, startTestNode, type TestNode } from '../../test/node';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { runJourney } from './journey';
import { sendShoppers } from './load';
import { createSmokeSteps } from './steps';

let database: TestDatabase;
let redis: TestService;
let node: TestNode;
beforeAll(async () => {
  database = await freshDatabase(await postgresUrl(), { migrated: false });
  redis = await startRedis();
  const env = { REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' };
  node = await startTestNode(env);
});
afterAll(async () => {
  await node?.stop();
  await Promise.all([redis?.stop(), database?.drop()]);
});

/** Runs the journey, and returns the lines of its steps. */
async function runAt(url: string, metricsUrl = `${url}/metrics`): Promise<string[]> {
  const lines: string[] = [];
  const { signal } = new AbortController();
  await runJourney({
    url,
    metricsUrl,
    signal,
    step: createSmokeSteps({ signal, print: (line) => lines.push(line) }),
  });
  return lines;
}
const admin = () => clientOf(node, { id: 'ada', name: 'Ada', role: 'admin' });

test('a shopper signs in, buys, is refused, queues, is served and pays, and the metrics show it', async () => {
  const steps = (await runAt(node.url)).map((line) => /^✓ (.*?) {2}/.exec(line)?.[1]);
  expect(steps).toEqual([
    ...['ready', 'open a sale', 'sign in', 'buy', 'be refused', 'queue', 'be served', 'pay', 'metrics'],
  ]);
  const { coupons } = await admin().coupon.list.query();
  expect(coupons.filter(({ title, state }) => title === 'Smoke test' && state !== 'ended')).toEqual([]);
});

test('shoppers of the drills buy all coupons of a sale, and the limit of sign-ins is restored', async () => {
  const { signal } = new AbortController();
  const step = createSmokeSteps({ signal, print: () => undefined });
  const report = await sendShoppers({ url: node.url, shoppers: 40, step, signal });
  expect(report).toMatch(/^ {2}orders +3 confirmed, 3 coupons$/m);
  expect(report).toMatch(/^ {2}oversold +0$/m);
  expect(report).toMatch(/^ {2}p99 +\d+\.\d ms$/m);
  expect(report).toMatch(/^ {2}machine +Node \d+, /m);
  const { policies } = await admin().limit.list.query();
  const levels = policies.find(({ policy }) => policy === 'auth.signInDemo')?.levels;
  expect(levels).toMatchObject([{ effective: { limit: 600, windowMs: 60_000 } }]);
});

test('a level that admits too much fails the step "be refused"', async () => {
  const level = { policy: 'coupon.seckill', level: 'user' };
  await admin().limit.update.mutate({ ...level, limit: 1_000 });
  await expect(runAt(node.url)).rejects.toThrow('The step "be refused" failed: 20 clicks were admitted.');
  await admin().limit.reset.mutate(level);
});

test('an address without a server, of another server, and of an instance without demo mode', async () => {
  await expect(runAt('http://127.0.0.1:1')).rejects.toThrow(
    'The step "ready" failed: http://127.0.0.1:1 does not',
  );
  await expect(runAt(`${node.url}/other`)).rejects.toThrow(
    'is no instance of Floodgate: /readyz answered 404',
  );
  const env = { REDIS_URL: redis.url, DATABASE_URL: database.url };
  const other = await startTestNode(env);
  try {
    await expect(runAt(other.url)).rejects.toThrow(
      /"open a sale" failed: .* runs without demo mode.*\n.*FLOODGATE_DEMO=1/,
    );
  } finally {
    await other.stop();
  }
});

test('the command ends with exit code 1 and names the step that failed', async () => {
  const run = (...args: string[]) =>
    runCommand(process.execPath, ['--import', 'tsx', 'scripts/smoke.ts', ...args]);
  const closedUrl = 'http://127.0.0.1:1';
  const [journey, load] = await Promise.all([run(closedUrl), run(closedUrl, '--shoppers', '10')]);
  for (const { code, output } of [journey, load]) {
    expect(code).toBe(1);
    expect(output).toMatch(/^✗ ready /m);
    expect(output).toContain(`The step "ready" failed: ${closedUrl} does not answer`);
  }
});
