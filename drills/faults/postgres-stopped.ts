import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';

const DOWN_MS = 20_000;

export const postgresStopped: Drill = {
  name: 'postgres-stopped',
  description: 'Postgres is down for 20 s',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, duringOutage }) {
    const { service } = topology.ledger;
    await service.down();
    await duringOutage('postgres', () => sleep(DOWN_MS));
    await service.up();
  },
};
