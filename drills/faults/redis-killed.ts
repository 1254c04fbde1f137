import type { Drill } from '../drill';
import { singleStore } from '../stores';

/** What was written reaches the kernel before it is answered, so a killed process loses nothing of it. */
export const redisKilled: Drill = {
  name: 'redis-killed',
  description: 'kill -9 Redis, which keeps an append-only file',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres', 'pglite'],
  async inject({ topology }) {
    const { redis } = singleStore(topology);
    await redis.kill();
    await redis.waitUntilRunning();
  },
};
