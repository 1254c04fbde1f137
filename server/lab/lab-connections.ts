import { connectRedis, type RedisClient } from '../redis/client';

/** Connections of the lab's own, so that whatever it does, no call of the sale waits behind it. */
export interface LabConnections {
  /** That many connections, made where they are missing. Throws `RedisUnreachableError`. */
  take(count: number): Promise<[RedisClient, ...RedisClient[]]>;
  /** Says that nothing uses them just now. */
  rest(): void;
  close(): void;
}

/** Connections that rest this long are closed: most of the time nobody is in the lab. */
const IDLE_MS = 10_000;

export function createLabConnections({
  urls,
  onError,
}: {
  urls: readonly string[];
  onError: (error: Error) => void;
}): LabConnections {
  let open: RedisClient[] = [];
  let resting: NodeJS.Timeout | undefined;

  function close(): void {
    clearTimeout(resting);
    for (const client of open) client.disconnect();
    open = [];
  }

  return {
    async take(count) {
      clearTimeout(resting);
      // One that has lost Redis is not waited for.
      for (const client of open) if (client.status !== 'ready') client.disconnect();
      open = open.filter((client) => client.status === 'ready');
      while (open.length < count) open.push(await connectRedis(urls, onError));
      const [first, ...others] = open.slice(0, count);
      if (!first) throw new RangeError(`take needs a count of at least 1, not ${count}`);
      return [first, ...others];
    },

    rest() {
      clearTimeout(resting);
      resting = setTimeout(close, IDLE_MS).unref();
    },

    close,
  };
}
