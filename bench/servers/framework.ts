/**
 * A server of one framework, with a route for each limiter and kind of callers, and `/bare` without a limiter:
 * `framework.ts FRAMEWORK PACKAGE_FOLDER REDIS_URL`. Each limiter counts by the header `x-user`, with its default options
 * otherwise. All limiters share one client of Redis.
 */
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import express, { type Request, type RequestHandler } from 'express';
import Fastify, { type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import type { Redis } from 'ioredis';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { connect, loadPeer } from '../contenders/contender';
import { secret } from '../contenders/floodgate';
import { serverTasks, serveTasks } from '../harness/tasks';

const [framework = '', packageFolder = '', redisUrl = ''] = process.argv.slice(2);
const apps: Record<string, () => Promise<Server>> = {
  express: openExpressApp,
  fastify: openFastifyApp,
  hono: openHonoApp,
};
/** The windows of the two kinds of callers: those that are admitted, and those that are refused. */
const windows = [
  { callers: 'open', limit: 100, windowMs: 60_000 },
  { callers: 'full', limit: 1, windowMs: 3_600_000 },
] as const;

const { client } = await connect(redisUrl);
const server = await apps[framework]?.();
if (!server) throw new TypeError(`there is no framework ${framework}`);
serveTasks(serverTasks, { port: await listenOnFreePort(server) });

async function openExpressApp(): Promise<Server> {
  const { rateLimit, MemoryStore } = await loadPeer('express-rate-limit');
  const { RedisStore } = await loadPeer('rate-limit-redis');
  const app = express();
  const answer: RequestHandler = (_req, res) => void res.send('ok');
  const userOf = (req: Request) => req.headers['x-user'];
  app.get('/bare', answer);
  for (const { route, middleware } of await openOurs(userOf)) app.get(route, middleware, answer);
  for (const { callers, limit, windowMs } of windows) {
    const stores = {
      redis: new RedisStore({
        prefix: prefixOf(callers),
        sendCommand: (...command: [string, ...string[]]) => client.call(...command),
      }),
      memory: new MemoryStore(),
    };
    for (const [name, store] of Object.entries(stores))
      app.get(`/${name}/${callers}`, rateLimit({ limit, windowMs, store, keyGenerator: userOf }), answer);
  }
  return createServer(app);
}

async function openFastifyApp(): Promise<Server> {
  const { default: plugin } = await loadPeer('@fastify/rate-limit');
  const app = Fastify();
  const answer = async () => 'ok';
  const userOf = ({ headers }: FastifyRequest) => headers['x-user'];
  app.get('/bare', answer);
  for (const { route, middleware } of await openOurs(userOf))
    app.get(route, { onRequest: middleware }, answer);
  for (const { callers, limit, windowMs } of windows) {
    const stores = { redis: { redis: client, nameSpace: prefixOf(callers) }, memory: {} };
    for (const [name, store] of Object.entries(stores)) {
      await app.register(async (scope) => {
        await scope.register(plugin, { max: limit, timeWindow: windowMs, ...store, keyGenerator: userOf });
        scope.get(`/${name}/${callers}`, answer);
      });
    }
  }
  await app.ready();
  return app.server;
}

async function openHonoApp(): Promise<Server> {
  const { MemoryStore, RedisStore, rateLimiter } = await loadPeer('hono-rate-limiter');
  const app = new Hono();
  const answer = (c: Context) => c.text('ok');
  const userOf = (c: Context) => c.req.header('x-user') ?? '';
  app.get('/bare', answer);
  for (const { route, middleware } of await openOurs(userOf)) app.get(route, middleware, answer);
  for (const { callers, limit, windowMs } of windows) {
    const stores = {
      redis: new RedisStore({ client: toUpstashClient(client), prefix: prefixOf(callers) }),
      memory: new MemoryStore(),
    };
    for (const [name, store] of Object.entries(stores))
      app.get(`/${name}/${callers}`, rateLimiter({ limit, windowMs, store, keyGenerator: userOf }), answer);
  }
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}

/** The Redis store for Hono calls a client of the form of Upstash's. */
function toUpstashClient(redis: Redis) {
  return {
    scriptLoad: (script: string) => redis.script('LOAD', script),
    evalsha: (hash: string, keys: string[], args: string[]) =>
      redis.evalsha(hash, keys.length, ...keys, ...args),
    decr: (key: string) => redis.decr(key),
    del: (key: string) => redis.del(key),
  };
}

/** Begins the keys of the other limiters. */
function prefixOf(callers: string): string {
  return `${framework}:theirs:${callers}:`;
}

/** Opens the limiters of the packed package with the path of their routes. `known` refuses from the denial cache. */
async function openOurs<T>(userOf: (request: T) => unknown) {
  const load = (file: string) => import(pathToFileURL(path.join(packageFolder, `dist/${file}.mjs`)).href);
  const [{ createLimiter, definePolicy }, { ioredisStore }, { rateLimit }] = await Promise.all(
    ['index', 'stores', framework].map(load),
  );
  return ['known', 'uncached'].flatMap((name) => {
    const prefix = `${framework}:${name}:`;
    const store = ioredisStore(client);
    const limiter = createLimiter({ store, secret, prefix, cacheDenials: name === 'known' });
    return windows.map(({ callers, ...window }) => ({
      route: `/${name}/${callers}`,
      middleware: rateLimit({
        limiter,
        policy: definePolicy({ name: callers, levels: [{ level: 'user', ...window }] }),
        subjects: (request: T) => ({ user: userOf(request) }),
      }),
    }));
  });
}
