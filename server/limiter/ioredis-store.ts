import { defineScript, type RunScript } from '../lua-scripts';
import { getOrCreate } from './get-or-create';
import { hashTagOf } from './key';
import { defineFunction, type FunctionHost, type FunctionOptions, type RunFunction } from './lua-function';
import type { Store, StoreScript } from './store';

/** An ioredis client, single or cluster. */
export type RedisHost = FunctionHost & { readonly isCluster?: boolean };

/** Returns the store of a limiter's options, which are valid. */
export function storeOf(
  { redis, store }: { redis?: RedisHost; store?: Store },
  options: FunctionOptions,
): Store {
  if (store) return store;
  if (!redis) throw new TypeError('validateOptions accepts no limiter without a store');
  return ioredisStore(redis, options);
}

/**
 * Creates the store on an ioredis client, single or cluster. Use a client that fails at once when it is disconnected and
 * never sends a command twice (`enableOfflineQueue: false`, `maxRetriesPerRequest: 0`,
 * `autoResendUnfulfilledCommands: false`).
 */
export function ioredisStore(redis: RedisHost, options: FunctionOptions = {}): Store {
  const functions = new Map<string, RunFunction>();
  const scripts = new Map<string, RunScript>();

  const functionOf = (script: StoreScript) =>
    getOrCreate(functions, script.file, () => defineFunction(redis, script, options));
  const scriptOf = (script: StoreScript) =>
    getOrCreate(scripts, script.file, () => defineScript(redis, script));

  return {
    run: (script, keys, args) => (script.isFunction ? functionOf(script) : scriptOf(script))(keys, args),
    ...(redis.isCluster && { slotOf: hashTagOf }),
    async ready(wanted) {
      await Promise.all(wanted.map((script) => script.isFunction && functionOf(script).load()));
    },
  };
}
