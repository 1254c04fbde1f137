/** Sends 60 e-mails by a partner that allows 20 in any second, from all workers together. Start it twice. */
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/node-redis';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

// A worker has more time for Redis than a server.
const limiter = createLimiter({ store: connectRedis(REDIS_URL), secret: SUBJECT_SECRET, timeoutMs: 2_000 });
const partner = definePolicy({
  name: 'partner',
  levels: [{ level: 'global', limit: 20, windowMs: 1_000 }],
});

const sentAt: number[] = [];
async function sendMail(address: string): Promise<string> {
  sentAt.push(Date.now());
  return `sent to ${address}`;
}

await limiter.ready();
const addresses = Array.from({ length: 60 }, (_, index) => `reader-${index}@example.com`);
// The calls start in order; one that would wait for more than a minute is refused at once.
await Promise.all(
  addresses.map((address) => limiter.schedule(partner, {}, () => sendMail(address), { maxWaitMs: 60_000 })),
);
const tookMs = (sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0);
console.info(`${sentAt.length} e-mails in ${tookMs} ms`);
// Connections and timers end, so the process does.
await limiter.close();
