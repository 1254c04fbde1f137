/** Edits limiter.ts ten times while `npm run dev` serves it: its copies share one connection and one window. */
import { equal, match } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';

const { URL: url = 'http://127.0.0.1:3000', REDIS_URL = 'redis://127.0.0.1:6379' } = process.env;
const client = createClient({ url: REDIS_URL });
await client.connect();
const files = { limiter: 'limiter.ts', route: 'app/api/greet/route.ts' };
const limiter = await readFile(files.limiter, 'utf8');
const route = await readFile(files.route, 'utf8');

let calls = 0;
async function greet() {
  const response = await fetch(`${url}/api/greet`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  calls += 1;
  match(response.headers.get('ratelimit') ?? '', new RegExp(`r=${100 - calls}\\b`));
  return response.text();
}

try {
  equal(await greet(), 'Hello.');
  for (let edit = 1; edit <= 10; edit += 1) {
    await writeFile(files.limiter, `${limiter}// Edit ${edit}.\n`);
    await writeFile(files.route, route.replace('Hello.', `Hello ${edit}.`));
    while ((await greet()) !== `Hello ${edit}.`) await sleep(1_000);
    // One is the client of this program.
    equal((await client.sendCommand(['CLIENT', 'LIST'])).trim().split('\n').length, 2);
  }
} finally {
  client.destroy();
  await writeFile(files.limiter, limiter);
  await writeFile(files.route, route);
}
