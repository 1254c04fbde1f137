import { env } from 'cloudflare:workers';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit as limitFetch } from 'floodgate-limiter/fetch';
import { rateLimit } from 'floodgate-limiter/hono';
import { memoryStore } from 'floodgate-limiter/memory';
import { restStore } from 'floodgate-limiter/rest';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';

declare global {
  namespace Cloudflare {
    interface Env {
      UPSTASH_REDIS_REST_URL: string;
      UPSTASH_REDIS_REST_TOKEN: string;
      SUBJECT_SECRET: string;
    }
  }
}

const limiter = createLimiter({
  store: restStore({ url: env.UPSTASH_REDIS_REST_URL, token: env.UPSTASH_REDIS_REST_TOKEN }),
  secret: env.SUBJECT_SECRET,
  // The first request opens a connection, by TLS.
  timeoutMs: 1_000,
});

// For each isolate of the Worker on its own.
const local = createLimiter({ store: memoryStore(), secret: env.SUBJECT_SECRET });

const greeting = definePolicy({
  name: 'greet',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});
const search = definePolicy({
  name: 'search',
  levels: [{ level: 'ip', limit: 10, windowMs: 60_000 }],
});
const job = definePolicy({
  name: 'job',
  levels: [{ level: 'global', limit: 5, windowMs: 1_000 }],
});
// A call reserves 5 lines, and keeps those that it has sent.
const report = definePolicy({
  name: 'report',
  levels: [
    { level: 'ip', limit: 60, windowMs: 60_000 },
    { level: 'global', concurrent: 3, leaseMs: 60_000 },
  ],
  cost: 5,
  settle: 'units',
});

// Cloudflare sets this header in each request.
const addressHeader = 'cf-connecting-ip';

const found = () => new Response('Found.');
const searchEverywhere = limitFetch({ limiter, policy: search, addressHeader })(found);
const searchHere = limitFetch({ limiter: local, policy: search, addressHeader })(found);

const runJob = () => limiter.schedule(job, {}, async () => 'Done.');

const lines = ['one', 'two', 'three'];
const app = new Hono();
app.get('/greet', rateLimit({ limiter, policy: greeting, addressHeader }), (c) => c.text('Hello.'));
app.get('/search', (c) => searchEverywhere(c.req.raw));
app.get('/search-here', (c) => searchHere(c.req.raw));
app.get('/job', async (c) => c.text(await runJob()));
app.get('/report', rateLimit({ limiter, policy: report, addressHeader, settle: () => lines.length }), (c) =>
  stream(c, async (output) => {
    for (const line of lines) await output.writeln(line);
  }),
);

export default app;
