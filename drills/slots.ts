import type { RedisCluster } from '../test/services/redis-cluster';

/** The slot in which a cluster keeps a key. */
export async function slotOf({ nodes: [witness] }: RedisCluster, key: string): Promise<number> {
  return Number(await witness?.client.cluster('KEYSLOT', key));
}
