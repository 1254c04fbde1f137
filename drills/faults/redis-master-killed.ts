import { setTimeout as sleep } from 'node:timers/promises';
import { saleKeys } from '../../server/redis/keys';
import type { Drill } from '../drill';
import { RESTART_AFTER_MS } from '../keep-running';
import { clusterStore } from '../stores';

/** The master restarts from its append-only file before the cluster considers it failed. */
export const redisMasterKilled: Drill = {
  name: 'redis-master-killed',
  description: 'kill -9 the master of the gate, which restarts after a second',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, markDataLoss }) {
    const { cluster } = clusterStore(topology);
    const master = await cluster.masterOfKey(saleKeys(couponId).gate);
    await master.kill();
    // On a slow machine the replica may be promoted first, without unreplicated writes.
    markDataLoss();
    await sleep(RESTART_AFTER_MS);
    await master.start();
    await cluster.waitUntilSettled();
  },
};
