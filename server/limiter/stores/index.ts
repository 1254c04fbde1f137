/** The entry point `./stores` of the npm package. */
export { ioredisStore } from './ioredis-store';
export { memoryStore } from './memory-store';
export { type NodeRedisClient, nodeRedisStore } from './node-redis-store';
export type { Store, StoreScript } from './store';
