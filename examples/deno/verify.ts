/** Calls the limiter in this runtime: with a lost reply, all at once, and in memory. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { restStore } from 'floodgate-limiter/rest';
import { memoryStore } from 'floodgate-limiter/stores';

const {
  UPSTASH_REDIS_REST_URL: url = '',
  UPSTASH_REDIS_REST_TOKEN: token = '',
  SUBJECT_SECRET: secret = '',
} = process.env;

const policy = definePolicy({ name: 'verify', levels: [{ level: 'user', limit: 10, windowMs: 60_000 }] });
const stores = { rest: restStore({ url, token }), memory: memoryStore() };

for (const store of Object.values(stores)) {
  const limiter = createLimiter({ store, secret });
  await limiter.ready();
  const calls = Array.from({ length: 20 }, () => limiter.check(policy, { user: 'ada' }));
  assert.equal((await Promise.all(calls)).filter(({ allowed }) => allowed).length, 10);
}

// At this path, the stand-in of the REST API executes a command and closes the connection.
const losing = createLimiter({ store: restStore({ url: `${url}/lost`, token }), secret });
await assert.rejects(losing.check(policy, { user: 'bob' }), { kind: 'disconnected' });
const { windows } = await createLimiter({ store: stores.rest, secret }).peek(policy, { user: 'bob' });
assert.equal(windows[0]?.used, 1);
