import { createServer } from 'node:http';
import express from 'express';
import { loadPeer } from '../contenders/contender.mjs';
import { callersOf, windows } from './open-limiters.mjs';

/** @type {import('./framework').OpenApp} */
export async function openExpressApp({ client, ours }, prefix) {
  const { rateLimit, MemoryStore } = await loadPeer('express-rate-limit');
  const { RedisStore } = await loadPeer('rate-limit-redis');
  const app = express();
  /** @type {import('express').RequestHandler} */
  const answer = (_req, res) => void res.send('ok');
  app.get('/bare', answer);
  for (const { path, middleware } of ours)
    app.get(
      path,
      middleware((/** @type {express.Request} */ req) => ({ user: req.headers['x-user'] })),
      answer,
    );
  for (const [callers, { limit, windowMs }] of callersOf(windows)) {
    const stores = {
      redis: new RedisStore({
        prefix: `${prefix}${callers}:`,
        sendCommand: (/** @type {[string, ...string[]]} */ ...command) => client.call(...command),
      }),
      memory: new MemoryStore(),
    };
    for (const [name, store] of Object.entries(stores)) {
      const keyGenerator = (/** @type {express.Request} */ req) => req.headers['x-user'];
      app.get(`/${name}/${callers}`, rateLimit({ limit, windowMs, store, keyGenerator }), answer);
    }
  }
  return createServer(app);
}
