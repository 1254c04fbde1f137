import { setTimeout as sleep } from 'node:timers/promises';
import { connectTestRedis } from '../../test/redis';
import type { Drill } from '../drill';
import { singleStore } from '../stores';

const FULL_MS = 5_000;

export const redisFull: Drill = {
  name: 'redis-full',
  description: 'Redis is at maxmemory for 5 s and refuses writes',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  async inject({ topology }) {
    const client = await connectTestRedis(singleStore(topology).url);
    try {
      await client.config('SET', 'maxmemory', 1);
      await sleep(FULL_MS);
      await client.config('SET', 'maxmemory', 0);
    } finally {
      client.disconnect();
    }
  },
};
