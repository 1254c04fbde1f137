import { defineScript, type RunScript } from '../lua-scripts';
import { getOrCreate } from './get-or-create';
import { hashTagOf } from './key';
import { defineFunction, type FunctionHost, type FunctionOptions, type RunFunction } from './lua-function';
import type { Store, StoreScript } from './store';

/** An ioredis client, single or cluster. */
export type RedisHost = FunctionHost & { readonly isCluster?: boolean };

/** Runs a script. A function can also be loaded. */
type Run = RunScript & Partial<Pick<RunFunction, 'load'>>;

/** Returns the store of a limiter's options, which are valid. */
export function storeOf(
  { redis, store }: { redis?: RedisHost; store?: Store },
  options: FunctionOptions,
): Store {
  if (store) return store;
  if (!redis) throw new TypeError('validateOptions accepts no limiter without a store');
  return ioredisStore(redis, options);
}

/** Creates the store on an ioredis client, single or cluster, with the settings of `LimiterOptions.redis`. */
export function ioredisStore(redis: RedisHost, options: FunctionOptions = {}): Store {
  const defined = new Map<string, Run>();
  const define = (script: StoreScript): Run =>
    script.isFunction ? defineFunction(redis, script, options) : defineScript(redis, script);
  const runOf = (script: StoreScript) => getOrCreate(defined, script.file, () => define(script));

  return {
    run: (script, keys, args) => runOf(script)(keys, args),
    ...(redis.isCluster && { slotOf: hashTagOf }),
    async ready(wanted) {
      await Promise.all(wanted.map((script) => runOf(script).load?.()));
    },
  };
}
