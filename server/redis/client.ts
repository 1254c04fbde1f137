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
  /** A primary that became a replica: the address may lead to another by now. The command is not sent again. */
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
};

/**
 * A connected client for one or several URLs; several are nodes of a Redis Cluster, which finds its others by itself.
 * `onError` hears of every failed attempt to connect; calls fail by themselves meanwhile.
 *
 * @throws RedisUnreachableError where the first connection fails; of a cluster, where no node answers.
 */
export async function connectRedis(
  urls: readonly string[],
  onError: (error: Error) => void,
): Promise<RedisClient> {
  let failure: Error | undefined;
  const hear = (error: Error) => {
    // A cluster says why once, and then of everything that waited for the connection that it is closed.
    if (error.message !== 'Connection is closed.') failure = error;
    onError(error);
  };
  const client = createClient(urls, hear);
  client.on('error', hear);
  try {
    await client.connect();
    await (client instanceof Cluster ? connectNodes(client) : client.ping());
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

function createClient(urls: readonly string[], onError: (error: Error) => void): RedisClient {
  const [url, ...more] = urls;
  if (url === undefined) throw new TypeError('connectRedis needs a URL');
  return more.length === 0 ? new Redis(url, options) : createCluster(urls, new URL(url), onError);
}

/**
 * docs/decisions/009-redis-cluster.md says why each option stands. A command is sent again only on an answer that
 * proves that it was not executed (MOVED, ASK, TRYAGAIN, NOSCRIPT), and not for longer than a decision waits.
 */
function createCluster(
  urls: readonly string[],
  { username, password, protocol }: URL,
  onError: (error: Error) => void,
): Cluster {
  const cluster = new Cluster([...urls], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: options.retryStrategy,
    /** It would take every node's connection down while the cluster is short of one of them. */
    enableReadyCheck: false,
    /** Of every three one may be a TRYAGAIN, so that it is tried for 100 ms to 200 ms. */
    maxRedirections: 6,
    retryDelayOnTryAgain: 50,
    /** A command whose node went away may have been executed. */
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    /** A node that is frozen sends nobody elsewhere: who took its slots is learnt from the others. */
    slotsRefreshInterval: 2_000,
    slotsRefreshTimeout: 1_000,
    redisOptions: {
      ...options,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
    /** A certificate is of a name, so a name must not become an address before it is checked. */
    ...(protocol === 'rediss:' && { dnsLookup: keepName }),
  });
  cluster.on('node error', onError);
  // ioredis would connect a node when it is first needed, and fail all but the first of the calls that need it.
  // A redirected call has its turn before: it waits for the connection that it begins.
  cluster.on('+node', (node: Redis) => {
    setImmediate(() => {
      if (node.status === 'wait') node.connect().catch(onError);
    });
  });
  return cluster;
}

/** Waits for a connection to every node that can be reached. */
async function connectNodes(cluster: Cluster): Promise<void> {
  const pings = await Promise.allSettled(cluster.nodes().map((node) => node.ping()));
  if (pings.some(({ status }) => status === 'fulfilled')) return;
  throw pings.find((ping) => ping.status === 'rejected')?.reason ?? new Error('the cluster has no nodes');
}

function keepName(name: string, use: (error: null, address: string) => void): void {
  use(null, name);
}
