import { createServer } from 'node:http';
import { initTRPC } from '@trpc/server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';
import { rateLimit as limitExpress } from './express';
import { rateLimit as limitFastify } from './fastify';
import { rateLimit as limitFetch } from './fetch';
import { rateLimit as limitHono } from './hono';
import { createTrpcLimits, rateLimit as limitTrpc, type RateLimitContext } from './trpc';

const window = { limit: 10, windowMs: 60_000 };
const subjects = () => ({ ip: '192.0.2.1' });
const message = { en: 'Too many.' };

function start() {
  const warnings: string[] = [];
  const limiter = createLimiter({
    store: memoryStore(),
    secret: 'for tests: 32 characters or more',
    onWarning: (warning) => warnings.push(warning),
  });
  return { limiter, warnings };
}

/** Sends two requests to a route that is limited by each of the policies. */
const adapters = {
  async Express({ limiter }, names) {
    const limits = names.map((policy) => limitExpress({ limiter, policy, subjects }));
    const app = express();
    app.get('/', ...limits, (_req, res) => {
      res.send('ok');
    });
    const server = createServer(app);
    onTestFinished(() => void server.close());
    const port = await listenOnFreePort(server);
    for (let call = 0; call < 2; call += 1) await (await fetch(`http://127.0.0.1:${port}/`)).text();
  },
  async Fastify({ limiter }, names) {
    const onRequest = names.map((policy) => limitFastify({ limiter, policy, subjects }));
    const app = Fastify();
    app.get('/', { onRequest }, async () => 'ok');
    for (let call = 0; call < 2; call += 1) await app.inject('/');
  },
  async Hono({ limiter }, names) {
    const limits = names.map((policy) => limitHono({ limiter, policy, subjects }));
    const app = new Hono();
    for (const limit of limits) app.use('/', limit);
    app.get('/', (c) => c.text('ok'));
    for (let call = 0; call < 2; call += 1) await app.request('/');
  },
  async Fetch({ limiter }, names) {
    const limits = names.map((policy) => limitFetch({ limiter, policy, subjects }));
    const handler = limits.reduceRight(
      (inner, limit) => limit(inner),
      async (_request: Request) => new Response('ok'),
    );
    for (let call = 0; call < 2; call += 1) await handler(new Request('http://localhost/'));
  },
  async tRPC({ limiter }, names) {
    const { contextOf } = createTrpcLimits({ limiter });
    const t = initTRPC.context<RateLimitContext>().create();
    const limits = names.map(({ name }) =>
      limitTrpc<RateLimitContext>({ name, levels: [{ level: 'ip', ...window }], message }),
    );
    const limited = limits.reduce((procedure, limit) => procedure.use(limit), t.procedure);
    const caller = t.createCallerFactory(t.router({ greet: limited.query(() => 'ok') }))(
      contextOf(subjects()),
    );
    // One context: two calls of a batch are two calls.
    await Promise.all([caller.greet(), caller.greet()]);
  },
} satisfies Record<
  string,
  (started: ReturnType<typeof start>, names: ReturnType<typeof policyOf>[]) => Promise<void>
>;

function policyOf(name: string) {
  return definePolicy({ name, levels: [{ level: 'ip', ...window }], message });
}

describe.each(Object.entries(adapters))('%s', (adapter, send) => {
  test('a policy that charges each request twice warns once, with both lines', async () => {
    const started = start();
    const policy = policyOf(`${adapter}-twice`);
    await send(started, [policy, policy]);
    expect(started.warnings).toEqual([
      expect.stringMatching(
        /^Policy ".*-twice" charges each request twice, by the rateLimit\(…\) of .*charged-twice\.test\.ts:\d+:\d+.*, which is used twice\. Remove one/,
      ),
    ]);
    expect((await started.limiter.peek(policy, subjects())).windows).toMatchObject([{ used: 4 }]);
  });

  test('two policies, and a policy of two requests, do not warn', async () => {
    const started = start();
    await send(started, [policyOf(`${adapter}-one`), policyOf(`${adapter}-other`)]);
    expect(started.warnings).toEqual([]);
  });
});

test('the warning names the two lines that create the middlewares', async () => {
  const { limiter, warnings } = start();
  const policy = policyOf('lines');
  const outer = limitFetch({ limiter, policy, subjects });
  const inner = limitFetch({ limiter, policy, subjects });
  await outer(inner(async () => new Response('ok')))(new Request('http://localhost/'));
  const lines = [...String(warnings).matchAll(/charged-twice\.test\.ts:(\d+):/g)].map(([, line]) =>
    Number(line),
  );
  expect(lines).toHaveLength(2);
  expect((lines[1] ?? 0) - (lines[0] ?? 0)).toBe(1);
});
