import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/fetch';
import { restStore } from 'floodgate-limiter/rest';

const env = (name: string) => Deno.env.get(name) ?? '';

const limiter = createLimiter({
  store: restStore({ url: env('UPSTASH_REDIS_REST_URL'), token: env('UPSTASH_REDIS_REST_TOKEN') }),
  secret: env('SUBJECT_SECRET'),
  // The first request opens a connection, by TLS.
  timeoutMs: 1_000,
});

const greeting = definePolicy({
  name: 'greet',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});

/** The peer of each request. Behind a proxy, use `forwardedAddress` instead. */
const peers = new WeakMap<Request, string>();
const subjects = (request: Request) => ({ ip: peers.get(request) });
const greet = rateLimit({ limiter, policy: greeting, subjects })(() => new Response('Hello.'));

Deno.serve({ hostname: '127.0.0.1', port: Number(env('PORT') || 3000) }, (request, { remoteAddr }) => {
  peers.set(request, remoteAddr.hostname);
  return new URL(request.url).pathname === '/greet' ? greet(request) : new Response(null, { status: 404 });
});
