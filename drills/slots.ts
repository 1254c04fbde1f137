import type { RedisCluster } from '../test/services/redis-cluster';

/** Returns the hash slot of a key. */
export async function slotOf({ nodes: [node] }: RedisCluster, key: string): Promise<number> {
  return Number(await node?.client.cluster('KEYSLOT', key));
}
