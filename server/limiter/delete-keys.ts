import { defineScript, type ScriptHost } from '../lua-scripts';
import { withinStoreTimeout } from './store-timeout';

/** Deletes keys of the limiter, which may be on several nodes of a cluster. Throws `StoreUnavailableError`. */
export type DeleteKeys = (keys: readonly string[]) => Promise<void>;

/**
 * Deletes each key with its own script call, because the keys may lie in different slots. `timeoutMs` is the timeout of
 * all calls together.
 */
export function createDeleteKeys({ redis, timeoutMs }: { redis: ScriptHost; timeoutMs: number }): DeleteKeys {
  const runDelete = defineScript(redis, {
    command: 'floodgateDeleteKey',
    file: 'limiter/delete-key.lua',
    numberOfKeys: 1,
  });
  return async function deleteKeys(keys) {
    await withinStoreTimeout(Promise.all(keys.map((key) => runDelete([key], []))), timeoutMs);
  };
}
