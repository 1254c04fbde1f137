import { errorMonitor } from 'node:events';
import { getOrCreate } from '../get-or-create';
import { rejectUnknownOptions } from '../options';
import { runNextTick } from './event-loop';
import type { FunctionHost, FunctionOptions } from './lua-function';
import { type RedisAddress, readRefusal } from './read-refusal';
import { createRedisStore, type SendToHost } from './redis-store';
import type { Store } from './store';
import { IOREDIS_CLUSTER_RULES, IOREDIS_RULES, listUnsafeOptions } from './unsafe-options';

/** An ioredis client, single or cluster. */
export type RedisHost = FunctionHost & {
  readonly isCluster?: boolean;
  /** The socket of a single client. */
  readonly stream?: { cork(): void; uncork(): void; readonly writableLength: number };
  readonly options?: object;
  on?(event: string | symbol, listener: (error: Error) => void): unknown;
};

/** The options of a single ioredis client that say where it connects. */
interface PlainOptions extends RedisAddress {
  tls?: unknown;
  sentinels?: unknown;
}

/**
 * Creates the store on an ioredis client, single or cluster, that fails at once when it is disconnected and never sends a
 * command twice (`enableOfflineQueue: false`, `maxRetriesPerRequest: 0`, `autoResendUnfulfilledCommands: false`). `ready()` of
 * the limiter warns of unsafe options.
 */
export function ioredisStore(redis: RedisHost, options: FunctionOptions = {}): Store {
  rejectUnknownOptions('ioredisStore', options, { onWarning: true });
  const rules = redis.isCluster ? IOREDIS_CLUSTER_RULES : IOREDIS_RULES;
  return createGivenStore(redis, options, () => listUnsafeOptions(redis, redis.options, rules));
}

/** Creates the store on a given client. `listUnsafe` lists its unsafe options. */
export function createGivenStore(
  host: RedisHost,
  options: FunctionOptions,
  listUnsafe: () => readonly string[],
): Store {
  const errors = getOrCreate(errorsOf, host, () => listenToErrors(host));
  const store = createRedisStore(createSend(host), { ...options, isCluster: host.isCluster });
  return {
    ...store,
    connectionError: () => readConnectionError(host, errors.last),
    async ready(readyOptions) {
      for (const warning of listUnsafe()) (options.onWarning ?? readyOptions.onWarning)(warning);
      await store.ready(readyOptions);
    },
  };
}

/** The last error of each client. A client has one listener, whatever number of stores it has. */
const errorsOf = new WeakMap<RedisHost, { last?: Error }>();

function listenToErrors(host: RedisHost): { last?: Error } {
  const errors: { last?: Error } = {};
  // An `error` listener would hide errors: clients report them differently if there is none.
  host.on?.(errorMonitor, (error) => {
    errors.last = error;
  });
  return errors;
}

/** Returns the words with which a Redis refuses connections, or else the text of the last error. */
export async function readConnectionError(
  host: RedisHost,
  lastError: Error | undefined,
): Promise<string | undefined> {
  const address = host.isCluster ? undefined : (host.options as PlainOptions | undefined);
  const refusal = address && !address.tls && !address.sentinels && (await readRefusal(address));
  return refusal || (lastError && errorText(lastError));
}

/** Returns the text of an error, without a full stop. Node gives none to that of a name with several addresses. */
export function errorText(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return (error.message || (first instanceof Error ? first.message : error.name)).replace(/\.$/, '');
}

/** A write of this size is sent at once, so that Redis starts while the caller sends more: about four single decisions. */
const SHARED_WRITE_BYTES = 1_024;

/**
 * Sends the first script call of an event-loop tick at once, because many servers have one call at a time, and the others in
 * shared writes, because a write of its own costs a single decision more time than the rest of it. See
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/044-plain-text-protocol.md.
 */
export function createSend(host: RedisHost): SendToHost {
  let isFirst = true;
  let corked: RedisHost['stream'];

  function flush(): void {
    corked?.uncork();
    corked = undefined;
  }

  function endTick(): void {
    isFirst = true;
    flush();
  }

  return function send(call) {
    if (isFirst) runNextTick(endTick);
    else if (!corked && host.stream) {
      corked = host.stream;
      corked.cork();
    }
    isFirst = false;
    const reply = call(host);
    if (corked && corked.writableLength >= SHARED_WRITE_BYTES) flush();
    return reply;
  };
}
