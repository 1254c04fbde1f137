import { saleKeys } from '../../server/redis/keys';
import { eventually } from '../../test/until';
import type { Drill } from '../drill';
import { clusterStore } from '../stores';

/** Unreplicated writes are lost: the gate pauses and is rebuilt, and the window counts from zero. */
export const clusterFailover: Drill = {
  name: 'cluster-failover',
  description: 'the masters of the gate and of its limit die, and their replicas are promoted',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, markDataLoss }) {
    const { cluster } = clusterStore(topology);
    for (const key of [saleKeys(couponId).gate, '{coupon.seckill}']) {
      const master = await cluster.masterOfKey(key);
      await master.kill();
      markDataLoss();
      const isPromoted = async () => (await cluster.masterOfKey(key).catch(() => master)) !== master;
      await eventually(isPromoted, 'a replica is promoted');
      await master.start();
      await cluster.waitUntilSettled();
    }
  },
};
