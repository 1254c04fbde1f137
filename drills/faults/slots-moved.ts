import { saleKeys } from '../../server/redis/keys';
import type { ClusterNode, RedisCluster } from '../../test/services/redis-cluster';
import type { Drill } from '../drill';
import { clusterStore } from '../stores';

/** Moves slots key by key, as redis-cli does, while calls are redirected to the new master. */
export const slotsMoved: Drill = {
  name: 'slots-moved',
  description: 'the slots of the gate and of its limit move to another master and back',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, waitForConfirmed }) {
    const { cluster } = clusterStore(topology);
    const slots = [await cluster.slotOf(saleKeys(couponId).gate), await cluster.slotOf('{coupon.seckill}')];
    for (const direction of ['there', 'back']) {
      for (const slot of slots) await moveSlot(cluster, slot);
      if (direction === 'there') await waitForConfirmed(70);
    }
  },
};

async function moveSlot(cluster: RedisCluster, slot: number): Promise<void> {
  const from = await cluster.masterOf(slot);
  const to = await findOtherMaster(cluster, from);
  await to.client.cluster('SETSLOT', slot, 'IMPORTING', from.id);
  await from.client.cluster('SETSLOT', slot, 'MIGRATING', to.id);
  for (;;) {
    const keys = (await from.client.cluster('GETKEYSINSLOT', slot, 10)) as string[];
    if (keys.length === 0) break;
    await from.client.migrate('127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
  }
  await to.client.cluster('SETSLOT', slot, 'NODE', to.id);
  await from.client.cluster('SETSLOT', slot, 'NODE', to.id);
  await cluster.waitUntilSettled();
}

async function findOtherMaster(cluster: RedisCluster, from: ClusterNode): Promise<ClusterNode> {
  const [first, last] = [await cluster.masterOf(0), await cluster.masterOf(16_383)];
  return first === from ? last : first;
}
