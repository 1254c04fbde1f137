import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../scripts/lib/processes.mjs';
import { freshDatabase } from '../test/database';
import { openCoupon, startTestNode } from '../test/node';
import { startRedis } from '../test/services/redis';
import { postgresUrl } from '../test/services/worker-services';

const page = fileURLToPath(new URL('../docs/api.md', import.meta.url));
const END = '--- end of a block ---';

test('the commands of docs/api.md do what the page says', async () => {
  const database = await freshDatabase(await postgresUrl());
  onTestFinished(() => database.drop());
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const env = { REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' };
  const node = await startTestNode(env);
  onTestFinished(() => node.stop());
  await openCoupon({ db: database.db, sale: node.sale }, { kind: 'claim', stock: null, priceCents: 0 });

  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-api-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, one]) => one);
  const script = ['set -eu', `FLOODGATE=${node.url}`, ...blocks.map((one) => `${one}\necho; echo '${END}'`)];
  const { code, output } = await runCommand('bash', ['-c', script.join('\n')], { cwd: folder });
  expect([code, output]).toEqual([0, expect.any(String)]);
  const [, signIn = '', call, repeated = '', refused, batch, live] = output.split(END);

  expect(signIn.match(/"name":"Ada"/g)).toHaveLength(2);
  expect(call).toMatch(/^HTTP\/1\.1 200 OK$.*^ratelimit: "coupon\.read:ip";r=\d+;t=\d+.*"kind":"claim"/ims);
  const orders = repeated.match(/"outcome":"accepted","order":\{"id":"[^"]+"/g);
  expect(orders).toHaveLength(2);
  expect(new Set(orders).size).toBe(1);
  expect(refused?.match(/^HTTP\/1\.1 \d+/gm)).toEqual(
    [200, 200, 429, 429].map((status) => `HTTP/1.1 ${status}`),
  );
  expect(refused?.match(/^retry-after: \d+/gim)).toHaveLength(2);
  expect(refused).toMatch(/"rateLimit":\{"policy":"coupon\.claim","level":"user",.*"reason":"limited"/);
  expect(batch).toMatch(/^HTTP\/1\.1 207 .*"name":"Ada".*"code":"NOT_FOUND"/ims);
  expect(live).toMatch(/retry: 1000\n\nevent: windows/);
});
