import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { StartError } from '../errors';
import { readRefusal, replyCodeOf } from '../limiter/stores';
import { parseSentinelUrl, type SentinelUrl, withoutPassword } from '../store-urls';

export type RedisClient = Redis | Cluster;

/**
 * Options with which a call fails at once while Redis is down, and is never sent twice: a charge whose reply was lost may
 * have been executed. With ioredis's defaults such a call would wait up to 15 s and be sent again.
 */
const options: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  /** `subscribeChannel` subscribes again on `ready`, where a failure can be caught. */
  autoResubscribe: false,
  connectTimeout: 2_000,
  /** A connection without a reply for this long is dead, even if it looks open. It is replaced. */
  socketTimeout: 5_000,
  retryStrategy: (attempt) => Math.min(2 ** attempt * 25, 500),
  /** The primary became a replica: its address may lead to the new primary. The command is not sent again. */
  reconnectOnError: (error) => error.message.includes('READONLY'),
};

/**
 * Connects a client. Several URLs are nodes of a Redis Cluster, whose other nodes are discovered. A URL of Sentinels leads to
 * the primary that they name. `onError` is called for every failed attempt to connect. Calls fail meanwhile.
 *
 * @throws RedisUnreachableError if the first connection fails; for a cluster, if no node answers.
 */
export async function connectRedis(
  urls: readonly string[],
  onError: (error: Error) => void,
): Promise<RedisClient> {
  let failure: Error | undefined;
  const onConnectError = (error: Error) => {
    // A cluster emits the cause once, and then "Connection is closed." for each waiting call.
    if (error.message !== 'Connection is closed.') failure = error;
    onError(error);
  };
  const client = createClient(urls, onConnectError);
  client.on('error', onConnectError);
  try {
    await client.connect();
    await (client instanceof Cluster ? connectNodes(client) : client.ping());
    return client;
  } catch (cause) {
    client.disconnect();
    throw new RedisUnreachableError(urls, await readRefusalOf(urls, failure ?? cause));
  }
}

/** Returns the error with which a single Redis without TLS refuses connections, which the client may have lost, or `error`. */
async function readRefusalOf([first = '', ...more]: readonly string[], error: unknown): Promise<unknown> {
  if (more.length > 0 || !first.startsWith('redis://') || replyCodeOf(error) !== undefined) return error;
  const { hostname, port } = new URL(first);
  const host = hostname.replace(/^\[|\]$/g, '');
  const refusal = await readRefusal({ host, port: Number(port || 6379) });
  return refusal === undefined ? error : new Error(refusal, { cause: error });
}

/** Redis did not answer at start, or refused the connection. The message has the address without the password, and the fix. */
export class RedisUnreachableError extends StartError {
  constructor(urls: readonly string[], cause: unknown) {
    const where = urls.map(withoutPassword).join(', ');
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      replyCodeOf(cause) === undefined
        ? `No Redis answers at ${where} (${why}). Start it, or correct REDIS_URL.`
        : `Redis at ${where} refuses the connection: ${why}`,
      { cause },
    );
  }
}

function createClient(urls: readonly string[], onError: (error: Error) => void): RedisClient {
  const [url, ...more] = urls;
  if (url === undefined) throw new TypeError('connectRedis needs a URL');
  if (more.length > 0) return createCluster(urls, new URL(url), onError);
  const sentinelUrl = parseSentinelUrl(url);
  return sentinelUrl ? createSentinelClient(sentinelUrl) : new Redis(url, options);
}

/**
 * Creates a client of the primary that Sentinels name. It connects to the new primary when the Sentinels announce it, when
 * the connection is lost, and when a reply shows that the primary became a replica. No command is sent twice.
 */
function createSentinelClient({ sentinels, name, username, password }: SentinelUrl): Redis {
  let wasReady = false;
  const client = new Redis({
    ...options,
    ...{ sentinels, name, failoverDetector: true },
    ...(username && { username }),
    ...(password && { password }),
    // Without a delay, ioredis gives up: at the start that is an error, later it must try again.
    sentinelRetryStrategy: (attempt) => (wasReady ? (options.retryStrategy?.(attempt) ?? null) : null),
  });
  client.once('ready', () => {
    wasReady = true;
  });
  return client;
}

/**
 * Creates a cluster client. docs/decisions/009-redis-cluster.md has the reason of each option. A command is sent again
 * only after a reply that proves that it was not executed (MOVED, ASK, TRYAGAIN, NOSCRIPT), within a decision's timeout.
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
    /** The ready check would close all connections while one node is missing. */
    enableReadyCheck: false,
    /** One of three redirections may be a TRYAGAIN, so a command is retried for 100 ms to 200 ms. */
    maxRedirections: 6,
    retryDelayOnTryAgain: 50,
    /** A command on a lost connection may have been executed. */
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    /** A frozen node sends no redirection, so the client reads the slot map from the other nodes. */
    slotsRefreshInterval: 2_000,
    slotsRefreshTimeout: 1_000,
    redisOptions: {
      ...options,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
    /** A TLS certificate is checked against the name, so the name must not be resolved first. */
    ...(protocol === 'rediss:' && { dnsLookup: keepName }),
  });
  cluster.on('node error', onError);
  // ioredis connects a node on its first call, and fails other calls until then, so connect it at once. A redirected
  // call runs before `setImmediate`, and waits for its own connection.
  cluster.on('+node', (node: Redis) => {
    setImmediate(() => {
      if (node.status === 'wait') node.connect().catch(onError);
    });
  });
  return cluster;
}

/** Connects to every reachable node. */
async function connectNodes(cluster: Cluster): Promise<void> {
  const pings = await Promise.allSettled(cluster.nodes().map((node) => node.ping()));
  if (pings.some(({ status }) => status === 'fulfilled')) return;
  throw pings.find((ping) => ping.status === 'rejected')?.reason ?? new Error('the cluster has no nodes');
}

function keepName(name: string, callback: (error: null, address: string) => void): void {
  callback(null, name);
}
