import Fastify from 'fastify';
import { loadPeer } from '../contenders/contender.mjs';
import { callersOf, windows } from './open-limiters.mjs';

/** @type {import('./framework').OpenApp} */
export async function openFastifyApp({ client, ours }, prefix) {
  const { default: plugin } = await loadPeer('@fastify/rate-limit');
  const app = Fastify();
  const answer = async () => 'ok';
  app.get('/bare', answer);
  for (const { path, middleware } of ours) {
    const onRequest = middleware((/** @type {import('fastify').FastifyRequest} */ { headers }) => ({
      user: headers['x-user'],
    }));
    app.get(path, { onRequest }, answer);
  }
  for (const [callers, { limit, windowMs }] of callersOf(windows)) {
    const stores = { redis: { redis: client, nameSpace: `${prefix}${callers}:` }, memory: {} };
    for (const [name, store] of Object.entries(stores)) {
      await app.register(async (scope) => {
        await scope.register(plugin, {
          ...{ max: limit, timeWindow: windowMs, ...store },
          keyGenerator: (/** @type {import('fastify').FastifyRequest} */ { headers }) => headers['x-user'],
        });
        scope.get(`/${name}/${callers}`, answer);
      });
    }
  }
  await app.ready();
  return app.server;
}
