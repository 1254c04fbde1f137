import type { Drill } from '../drill';
import { singleStore } from '../stores';

export const redisEmptied: Drill = {
  name: 'redis-emptied',
  description: 'kill -9 Redis, which restarts empty',
  store: { kind: 'single', appendonly: false },
  ledgers: ['postgres', 'pglite'],
  async inject({ topology, markDataLoss }) {
    const { redis } = singleStore(topology);
    await redis.kill();
    markDataLoss();
    await redis.waitUntilRunning();
  },
};
