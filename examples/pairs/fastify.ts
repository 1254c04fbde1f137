import { fastify } from 'fastify';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/fastify';
import { memoryStore } from 'floodgate-limiter/stores';

const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'ip', limit: 3, windowMs: 60_000 }] });
const account = definePolicy({ name: 'account', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

const app = fastify();
app.get('/greet', { onRequest: rateLimit({ limiter, policy: greeting }) }, async () => 'Hello.');
// No caller has a user: an error of the configuration.
const limitAccount = rateLimit({ limiter, policy: account, subjects: () => ({ user: '' }) });
app.get('/account', { onRequest: limitAccount }, async () => 'Hello.');

app.listen({ port: 0, host: '127.0.0.1' }).then(async (url) => {
  const statuses: number[] = [];
  for (const path of ['greet', 'greet', 'greet', 'greet', 'account'])
    statuses.push((await fetch(`${url}/${path}`)).status);
  console.info(statuses.join(' '));
  await app.close();
});
