import type { RedisCluster } from '../test/services/redis-cluster';

/** The slot in which a cluster keeps a key. */
export async function slotOf({ nodes: [node] }: RedisCluster, key: string): Promise<number> {
  return Number(await node?.client.cluster('KEYSLOT', key));
}
