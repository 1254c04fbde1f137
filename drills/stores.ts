import type { ClusterStore, SingleStore, Topology } from './topology';

/** The one Redis of a topology. Throws where the drill asked for a cluster. */
export function singleStore({ store }: Topology): SingleStore {
  if (store.kind !== 'single') throw new TypeError('This drill needs a single Redis.');
  return store;
}

/** The Redis Cluster of a topology. Throws where the drill asked for a single Redis. */
export function clusterStore({ store }: Topology): ClusterStore {
  if (store.kind !== 'cluster') throw new TypeError('This drill needs a Redis Cluster.');
  return store;
}
