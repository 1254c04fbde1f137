import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { withoutPassword } from '../env';
import { StartError } from '../errors';

export type RedisClient = Redis | Cluster;

/**
 * A client that tells at once when Redis is away, and never sends a command twice: a charge whose reply was lost may
 * have happened. ioredis's defaults would hold such a call for 15 seconds and send it again.
 */
const options: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  /** Whoever subscribes does so again on `ready`, where a failure can be caught. */
  autoResubscribe: false,
  connectTimeout: 2_000,
  /** A connection that owes an answer for this long is dead however open it looks; it is closed and made anew. */
  socketTimeout: 5_000,
  retryStrategy: (attempt) => Math.min(2 ** attempt * 25, 500),
};

/**
 * A connected client for one or several URLs; several are the nodes of a Redis Cluster.
 * `onError` hears of every failed attempt to connect; calls fail by themselves meanwhile.
 *
 * @throws RedisUnreachableError where the first connection fails.
 */
export async function connectRedis(
  urls: readonly string[],
  onError: (error: Error) => void,
): Promise<RedisClient> {
  const client = createClient(urls);
  let failure: Error | undefined;
  client.on('error', (error: Error) => {
    failure = error;
    onError(error);
  });
  try {
    await client.connect();
    await client.ping();
    return client;
  } catch (cause) {
    client.disconnect();
    throw new RedisUnreachableError(urls, failure ?? cause);
  }
}

/** Redis did not answer at start. Says where it was looked for, without the password, and what to do. */
export class RedisUnreachableError extends StartError {
  constructor(urls: readonly string[], cause: unknown) {
    const where = urls.map(withoutPassword).join(', ');
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`No Redis answers at ${where} (${why}). Start it, or correct REDIS_URL.`, { cause });
  }
}

function createClient(urls: readonly string[]): RedisClient {
  const [url, ...more] = urls;
  if (url === undefined) throw new TypeError('connectRedis needs a URL');
  if (more.length === 0) return new Redis(url, options);
  const { username, password, protocol } = new URL(url);
  return new Cluster([...urls], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: options.retryStrategy,
    /** A command whose node went away may have been executed. */
    retryDelayOnFailover: 0,
    redisOptions: {
      ...options,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}
