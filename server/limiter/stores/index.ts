/** The entry point `./stores` of the package. The product loads and runs its own scripts by it, too. */

export { createFunctionLibraries } from './function-libraries';
export { ioredisStore, type RedisHost } from './ioredis-store';
export { defineFunction } from './lua-function';
export {
  defineScript,
  loadScripts,
  type RunScript,
  readScript,
  type ScriptHost,
  type ScriptLoader,
} from './lua-scripts';
export { memoryStore } from './memory-store';
export type { NodeRedisClient } from './node-redis-reconnect';
export { nodeRedisStore } from './node-redis-store';
export { type RedisAddress, readRefusal } from './read-refusal';
export { type RestStoreOptions, restStore } from './rest-store';
export type { Store } from './store';
export { replyCodeOf } from './store-error';
