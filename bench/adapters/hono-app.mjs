import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { loadPeer } from '../contenders/contender.mjs';
import { callersOf, windows } from './open-limiters.mjs';

/** @type {import('./framework').OpenApp} */
export async function openHonoApp({ client, ours }, prefix) {
  const { MemoryStore, RedisStore, rateLimiter } = await loadPeer('hono-rate-limiter');
  const app = new Hono();
  /** @param {import('hono').Context} c */
  const answer = (c) => c.text('ok');
  const userOf = (/** @type {import('hono').Context} */ c) => c.req.header('x-user') ?? '';
  app.get('/bare', answer);
  for (const { path, middleware } of ours)
    app.get(
      path,
      middleware((/** @type {import('hono').Context} */ c) => ({ user: userOf(c) })),
      answer,
    );
  for (const [callers, { limit, windowMs }] of callersOf(windows)) {
    const stores = {
      redis: new RedisStore({ client: toUpstashClient(client), prefix: `${prefix}${callers}:` }),
      memory: new MemoryStore(),
    };
    for (const [name, store] of Object.entries(stores)) {
      app.get(`/${name}/${callers}`, rateLimiter({ limit, windowMs, store, keyGenerator: userOf }), answer);
    }
  }
  return /** @type {import('node:http').Server} */ (createAdaptorServer({ fetch: app.fetch }));
}

/**
 * Its Redis store calls a client of the form of Upstash's.
 *
 * @param {import('ioredis').Redis} client
 */
function toUpstashClient(client) {
  return {
    scriptLoad: (/** @type {string} */ script) => client.script('LOAD', script),
    evalsha: (/** @type {string} */ hash, /** @type {string[]} */ keys, /** @type {string[]} */ args) =>
      client.evalsha(hash, keys.length, ...keys, ...args),
    decr: (/** @type {string} */ key) => client.decr(key),
    del: (/** @type {string} */ key) => client.del(key),
  };
}
