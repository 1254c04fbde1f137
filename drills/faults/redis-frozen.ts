import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';
import { singleStore } from '../stores';

const FROZEN_MS = 10_000;

export const redisFrozen: Drill = {
  name: 'redis-frozen',
  what: 'Redis stands still for 10 s (SIGSTOP)',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  async inject({ topology, outage }) {
    const { pid } = await singleStore(topology).redis.running();
    process.kill(pid, 'SIGSTOP');
    try {
      await outage('redis', () => sleep(FROZEN_MS));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  },
};
