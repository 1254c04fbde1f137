import type { ClusterStore, SingleStore, Topology } from './topology';

/** Returns the single Redis of a topology. Throws if the store is a cluster. */
export function singleStore({ store }: Topology): SingleStore {
  if (store.kind !== 'single') throw new TypeError('This drill needs a single Redis.');
  return store;
}

/** Returns the Redis Cluster of a topology. Throws if the store is a single Redis. */
export function clusterStore({ store }: Topology): ClusterStore {
  if (store.kind !== 'cluster') throw new TypeError('This drill needs a Redis Cluster.');
  return store;
}
