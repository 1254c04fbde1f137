import type { Drill } from '../drill';
import { singleStore } from '../stores';

/** Redis passes each write to the kernel before it replies, so a killed process loses no acknowledged write. */
export const redisKilled: Drill = {
  name: 'redis-killed',
  description: 'kill -9 Redis, which restarts from its append-only file',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres', 'pglite'],
  async inject({ topology }) {
    const { redis } = singleStore(topology);
    await redis.kill();
    await redis.waitUntilRunning();
  },
};
