import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/hono';
import { memoryStore } from 'floodgate-limiter/stores';
import { Hono } from 'hono';

const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'ip', limit: 3, windowMs: 60_000 }] });
const account = definePolicy({ name: 'account', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

const app = new Hono<{ Variables: { greeting: string } }>();
app.get(
  '/greet',
  rateLimit({ limiter, policy: greeting, subjects: (c) => ({ ip: c.req.header('x-ip') }) }),
  (c) => c.text('Hello.'),
);
// No caller has a user: an error of the configuration.
app.get('/account', rateLimit({ limiter, policy: account, subjects: () => ({ user: '' }) }), (c) =>
  c.text('Hello.'),
);
app.onError((_error, c) => c.text('failed', 500));

async function main() {
  const statuses: number[] = [];
  for (const path of ['greet', 'greet', 'greet', 'greet', 'account'])
    statuses.push((await app.request(`/${path}`, { headers: { 'x-ip': '192.0.2.1' } })).status);
  console.info(statuses.join(' '));
}
void main();
