import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';
import { singleStore } from '../stores';

const FROZEN_MS = 10_000;

export const redisFrozen: Drill = {
  name: 'redis-frozen',
  description: 'Redis is frozen for 10 s (SIGSTOP)',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  async inject({ topology, duringOutage }) {
    const { pid } = await singleStore(topology).redis.waitUntilRunning();
    process.kill(pid, 'SIGSTOP');
    try {
      await duringOutage('redis', () => sleep(FROZEN_MS));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  },
};
