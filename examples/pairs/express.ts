import express from 'express';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/express';
import { memoryStore } from 'floodgate-limiter/stores';

const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'ip', limit: 3, windowMs: 60_000 }] });
const account = definePolicy({ name: 'account', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

const app = express();
// Prints no stack of the error below.
app.set('env', 'test');
app.get('/greet', rateLimit({ limiter, policy: greeting }), (_req, res) => {
  res.send('Hello.');
});
// No caller has a user: an error of the configuration.
app.get('/account', rateLimit({ limiter, policy: account, subjects: () => ({ user: '' }) }));

const server = app.listen(0, '127.0.0.1', async () => {
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('no port');
  const statuses: number[] = [];
  for (const path of ['greet', 'greet', 'greet', 'greet', 'account'])
    statuses.push((await fetch(`http://127.0.0.1:${address.port}/${path}`)).status);
  console.info(statuses.join(' '));
  server.close();
});
