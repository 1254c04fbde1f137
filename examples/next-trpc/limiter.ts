import { createLimiter, definePolicy } from 'floodgate-limiter';
import { ioredisStore } from 'floodgate-limiter/stores';
import { Redis } from 'ioredis';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

function createLimits() {
  // Fails immediately while Redis is down, and never sends a charge twice. Connects with the first request, because
  // `next build` evaluates this module, too.
  const redis = new Redis(REDIS_URL, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Leaves a dead connection, and a primary that became a replica, within seconds.
    connectTimeout: 2_000,
    socketTimeout: 5_000,
    reconnectOnError: (error) => error.message.includes('READONLY'),
  });
  redis.on('error', (error) => console.error(`Redis: ${error.message}`));
  let connecting: Promise<void> | undefined;
  return {
    limiter: createLimiter({ store: ioredisStore(redis), secret: SUBJECT_SECRET }),
    /** Waits for the first connection attempt. Later ones run in the background. */
    connect(): Promise<void> {
      connecting ??= redis.connect().catch(() => undefined);
      return connecting;
    },
  };
}

// Hot reload evaluates this module again, and each route may have its own copy of it. All use one limiter.
const shared = globalThis as typeof globalThis & { limits?: ReturnType<typeof createLimits> };
shared.limits ??= createLimits();
export const { limiter, connect } = shared.limits;

export const greeting = definePolicy({
  name: 'greet.plain',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});
