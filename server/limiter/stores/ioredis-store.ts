import { errorMonitor } from 'node:events';
import type { Writable } from 'node:stream';
import { rejectUnknownOptions } from '../options';
import { runNextTick } from './event-loop';
import type { FunctionHost, FunctionOptions } from './lua-function';
import { type RedisAddress, readRefusal } from './read-refusal';
import { createRedisStore } from './redis-store';
import type { Store } from './store';

/** An ioredis client, single or cluster. */
export type RedisHost = FunctionHost & {
  readonly isCluster?: boolean;
  /** The socket of a single client. */
  readonly stream?: Pick<Writable, 'cork' | 'uncork' | 'writableLength'>;
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
 * command twice (`enableOfflineQueue: false`, `maxRetriesPerRequest: 0`, `autoResendUnfulfilledCommands: false`).
 */
export function ioredisStore(redis: RedisHost, options: FunctionOptions = {}): Store {
  rejectUnknownOptions('ioredisStore', options, { onWarning: true });
  let lastError: Error | undefined;
  // An `error` listener would hide errors: clients report them differently if there is none.
  redis.on?.(errorMonitor, (error) => {
    lastError = error;
  });

  return {
    ...createRedisStore(redis, { ...options, send: createShareWrites(redis) }),
    async connectionError() {
      const address = redis.isCluster ? undefined : (redis.options as PlainOptions | undefined);
      const refusal = address && !address.tls && !address.sentinels && (await readRefusal(address));
      return refusal || lastError?.message;
    },
  };
}

/** A write of this size is sent at once, so that Redis starts while the caller sends more: about four single decisions. */
const SHARED_WRITE_BYTES = 1_024;

/**
 * Sends the script calls of one event-loop tick in shared writes, because a write of its own costs a single decision more
 * time than the rest of it. See docs/decisions/044-plain-text-protocol.md.
 */
function createShareWrites(redis: RedisHost): <Reply>(send: () => Reply) => Reply {
  let corked: RedisHost['stream'];

  function flush(): void {
    corked?.uncork();
    corked = undefined;
  }

  return function shareWrites(send) {
    if (!corked && redis.stream) {
      corked = redis.stream;
      corked.cork();
      runNextTick(flush);
    }
    const reply = send();
    if (corked && corked.writableLength >= SHARED_WRITE_BYTES) flush();
    return reply;
  };
}
