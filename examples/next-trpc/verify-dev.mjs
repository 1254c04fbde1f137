/** Edits limiter.ts ten times while `next dev` serves it: its copies share one connection. */
import { equal, ok } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';

const { URL: url = 'http://127.0.0.1:3000', REDIS_URL = 'redis://127.0.0.1:6379' } = process.env;
const client = createClient({ url: REDIS_URL });
await client.connect();

/** Returns the limit in the answer of the route. */
async function readLimit() {
  const response = await fetch(`${url}/api/greet`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  await response.text();
  equal(response.status, 200);
  return Number(/q=(\d+)/.exec(response.headers.get('ratelimit-policy'))?.[1]);
}

async function countConnections() {
  return (await client.sendCommand(['CLIENT', 'LIST'])).trim().split('\n').length;
}

const limiter = await readFile('limiter.ts', 'utf8');
try {
  equal(await readLimit(), 100);
  const before = await countConnections();
  for (let limit = 1_001; limit <= 1_010; limit += 1) {
    await writeFile('limiter.ts', limiter.replace('limit: 100,', `limit: ${limit},`));
    while ((await readLimit()) !== limit) await sleep(500);
    ok((await countConnections()) <= before);
  }
} finally {
  client.destroy();
  await writeFile('limiter.ts', limiter);
}
