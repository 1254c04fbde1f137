import { setTimeout as sleep } from 'node:timers/promises';
import { saleKeys } from '../../server/redis/keys';
import type { Drill } from '../drill';
import { RESTART_AFTER_MS } from '../keep-running';
import { clusterStore } from '../stores';

export const redisReplicaKilled: Drill = {
  name: 'redis-replica-killed',
  description: 'kill -9 the replica of the gate’s master, which restarts after a second',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, reportProblem }) {
    const { cluster } = clusterStore(topology);
    const master = await cluster.masterOfKey(saleKeys(couponId).gate);
    const [replica] = await cluster.replicasOf(master);
    if (!replica) return reportProblem('the master of the gate has no replica');
    await replica.kill();
    await sleep(RESTART_AFTER_MS);
    await replica.start();
    await cluster.waitUntilSettled();
  },
};
