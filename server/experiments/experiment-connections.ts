import { connectRedis, type RedisClient } from '../redis/client';

/** Connections that only experiments use, so that no call of the sale waits behind an experiment. */
export interface ExperimentConnections {
  /** Returns that many connections and opens missing ones. Throws `RedisUnreachableError`. */
  acquire(count: number): Promise<[RedisClient, ...RedisClient[]]>;
  /** Marks all connections as idle. */
  release(): void;
  close(): void;
}

/** Idle connections are closed after this time, because experiments are rare. */
const IDLE_MS = 10_000;

/** Opens connections to Redis when experiments need them, and closes them after 10 s without use. */
export function createExperimentConnections({
  urls,
  onError,
}: {
  urls: readonly string[];
  onError: (error: Error) => void;
}): ExperimentConnections {
  let open: RedisClient[] = [];
  let idleTimer: NodeJS.Timeout | undefined;

  function close(): void {
    clearTimeout(idleTimer);
    for (const client of open) client.disconnect();
    open = [];
  }

  return {
    async acquire(count) {
      clearTimeout(idleTimer);
      // A disconnected client is replaced instead of awaited.
      for (const client of open) if (client.status !== 'ready') client.disconnect();
      open = open.filter((client) => client.status === 'ready');
      while (open.length < count) open.push(await connectRedis(urls, onError));
      const [first, ...others] = open.slice(0, count);
      if (!first) throw new RangeError(`acquire needs a count of at least 1, not ${count}`);
      return [first, ...others];
    },

    release() {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(close, IDLE_MS).unref();
    },

    close,
  };
}
