import type { Drill } from '../drill';

export const postgresKilled: Drill = {
  name: 'postgres-killed',
  description: 'kill -9 Postgres, which restarts after a second',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology }) {
    const { service } = topology.ledger;
    await service.kill();
    await service.waitUntilRunning();
  },
};
