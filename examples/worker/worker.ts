import { env, waitUntil } from 'cloudflare:workers';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/hono';
import { restStore } from 'floodgate-limiter/rest';
import { type Context, Hono } from 'hono';

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
  store: restStore({
    url: env.UPSTASH_REDIS_REST_URL,
    token: env.UPSTASH_REDIS_REST_TOKEN,
    // Without it, a Worker cancels what is sent after the response, such as the end of a call in flight.
    waitUntil,
  }),
  secret: env.SUBJECT_SECRET,
});

const greeting = definePolicy({
  name: 'greet',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});
const search = definePolicy({
  name: 'search',
  levels: [{ level: 'ip', limit: 10, windowMs: 60_000 }],
});
const report = definePolicy({
  name: 'report',
  levels: [{ level: 'ip', concurrent: 3, leaseMs: 60_000 }],
});

// Cloudflare replaces this header in each request: https://developers.cloudflare.com/fundamentals/reference/http-headers/
const subjects = (c: Context) => ({ ip: c.req.header('cf-connecting-ip') });

const app = new Hono();
app.get('/greet', rateLimit({ limiter, policy: greeting, subjects }), (c) => c.text('Hello.'));
app.get('/search', rateLimit({ limiter, policy: search, subjects }), (c) => c.text('Found.'));
app.get('/report', rateLimit({ limiter, policy: report, subjects }), (c) => c.text('Done.'));

export default app;
