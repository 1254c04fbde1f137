import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Drill } from '../drill';
import { singleStore } from '../stores';

/** Simulates the restore of an old backup: the gate is behind the ledger. */
export const redisRestored: Drill = {
  name: 'redis-restored',
  description: 'Redis is restored from a backup that is about 30 orders old',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres', 'pglite'],
  async inject({ topology, waitForConfirmed, markFault, markDataLoss }) {
    const { redis, dir } = singleStore(topology);
    const files = path.join(dir, 'appendonlydir');
    const backup = path.join(dir, 'backup');
    await cp(files, backup, { recursive: true });
    await waitForConfirmed(80);
    markFault();
    await redis.down();
    markDataLoss();
    await rm(files, { recursive: true });
    await cp(backup, files, { recursive: true });
    await redis.up();
  },
};
