/** Calls the limiter in this runtime: with a lost reply, all at once, and in memory. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { memoryStore } from 'floodgate-limiter/memory';
import { restStore } from 'floodgate-limiter/rest';

const {
  UPSTASH_REDIS_REST_URL: url = '',
  UPSTASH_REDIS_REST_TOKEN: token = '',
  SUBJECT_SECRET: secret = '',
} = process.env;

const options = { secret, timeoutMs: 10_000 };
const policy = definePolicy({ name: 'verify', levels: [{ level: 'user', limit: 10, windowMs: 60_000 }] });
const stores = { rest: restStore({ url, token }), memory: memoryStore() };

for (const store of Object.values(stores)) {
  const limiter = createLimiter({ ...options, store });
  await limiter.ready();
  const calls = Array.from({ length: 20 }, () => limiter.check(policy, { user: 'ada' }));
  assert.equal((await Promise.all(calls)).filter(({ allowed }) => allowed).length, 10);
}

// At this path, the stand-in of the REST API executes a command and closes the connection.
const losing = createLimiter({ ...options, store: restStore({ url: `${url}/lost`, token }) });
await assert.rejects(losing.check(policy, { user: 'bob' }), { kind: 'disconnected' });
const { windows } = await createLimiter({ ...options, store: stores.rest }).peek(policy, { user: 'bob' });
assert.equal(windows[0]?.used, 1);
