import { setTimeout as sleep } from 'node:timers/promises';
import { signalAll } from '../../test/services/signal-all';
import type { Drill } from '../drill';

const FROZEN_MS = 10_000;

export const postgresFrozen: Drill = {
  name: 'postgres-frozen',
  description: 'Postgres and all its backends are frozen for 10 s (SIGSTOP)',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, duringOutage }) {
    const { pid } = await topology.ledger.service.waitUntilRunning();
    signalAll(pid, 'SIGSTOP');
    try {
      await duringOutage('postgres', () => sleep(FROZEN_MS));
    } finally {
      signalAll(pid, 'SIGCONT');
    }
  },
};
