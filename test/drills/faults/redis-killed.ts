import type { Drill } from '../drill';
import { singleStore } from '../stores';

export const redisKilled: Drill = {
  name: 'redis-killed',
  what: 'kill -9 Redis, which keeps an append-only file',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres', 'pglite'],
  async inject({ topology, untilConfirmed }) {
    const { redis } = singleStore(topology);
    await redis.kill();
    await untilConfirmed(60);
  },
};
