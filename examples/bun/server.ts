import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/fetch';
import { restStore } from 'floodgate-limiter/rest';

const {
  UPSTASH_REDIS_REST_URL: url = '',
  UPSTASH_REDIS_REST_TOKEN: token = '',
  SUBJECT_SECRET: secret = '',
  PORT = '3000',
} = process.env;

const limiter = createLimiter({
  store: restStore({ url, token }),
  secret,
  // The first request opens a connection, by TLS.
  timeoutMs: 1_000,
});

const greeting = definePolicy({
  name: 'greet',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});

// Behind a proxy, use `forwardedAddress` instead.
const subjects = (request: Request) => ({ ip: server.requestIP(request)?.address });
const greet = rateLimit({ limiter, policy: greeting, subjects })(() => new Response('Hello.'));

const server: Bun.Server<undefined> = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  routes: { '/greet': (request) => greet(request) },
});
