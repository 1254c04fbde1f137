import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { createConnectedStore, keyOfOptions, type OwnClient, readTarget, readUrls } from './connection';
import type { Store } from './store';

/** The entry point `./ioredis` of the package. */
export { ioredisStore, type RedisHost } from './ioredis-store';
export type { Store } from './store';

const CONNECT_OPTIONS = [
  'url',
  'host',
  'port',
  'path',
  'family',
  'username',
  'password',
  'db',
  'tls',
  'connectionName',
  'keyPrefix',
  'sentinels',
  'name',
  'sentinelUsername',
  'sentinelPassword',
  'sentinelTLS',
  'enableTLSForSentinelMode',
] as const;

/** The options of `connectRedis`: where Redis is. Those of ioredis that decide how calls fail are set by it. */
export interface ConnectOptions extends Pick<RedisOptions, Exclude<(typeof CONNECT_OPTIONS)[number], 'url'>> {
  /** `redis://` or `rediss://`; a list of them is a cluster. Default: `host` and `port`, `path`, or `sentinels` and `name`. */
  url?: string | readonly string[];
}

/** A call fails at once while Redis is down, and is never sent twice. A lost connection is replaced within 10 s. */
const failFast = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2_000,
  socketTimeout: 5_000,
  // Also of a socket that is closed: its timer keeps the process alive.
  disconnectTimeout: 200,
  retryStrategy: (attempt: number) => Math.min(2 ** attempt * 25, 500),
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
};

/**
 * Creates a store on ioredis that connects with its first call, shares its connection with the other limiters of the process
 * that have the same options, and is closed by `limiter.close()`. Takes the URL of Redis, a list of URLs of a cluster, or
 * options. Throws a `LimiterOptionError` for a missing or wrong URL and for an unknown option.
 */
export function connectRedis(target: string | readonly string[] | ConnectOptions): Store {
  const { url, ...options }: ConnectOptions = readTarget<ConnectOptions>(target, CONNECT_OPTIONS);
  const isPlaced = options.host !== undefined || options.path !== undefined || options.sentinels;
  const { urls, isCluster } = url === undefined && isPlaced ? { urls: [], isCluster: false } : readUrls(url);
  return createConnectedStore({
    key: keyOfOptions('ioredis', [urls, isCluster, options]),
    isCluster,
    createClient: () => (isCluster ? ownCluster(urls, options) : ownRedis(urls[0], options)),
  });
}

function ownRedis(url: string | undefined, { sentinels, name, ...options }: ConnectOptions): OwnClient {
  const all: RedisOptions = {
    ...options,
    ...(sentinels && { sentinels, ...(name && { name }), failoverDetector: true }),
    ...failFast,
    sentinelRetryStrategy: failFast.retryStrategy,
  };
  const client = url === undefined ? new Redis(all) : new Redis(url, all);
  // The query of a URL may have options, too.
  Object.assign(client.options, failFast);
  return {
    host: client,
    connect({ ready, error }) {
      client.on('ready', ready);
      client.on('error', error);
      // It goes on until it is connected, and emits its errors.
      client.connect().catch(() => undefined);
    },
    disconnect: () => client.disconnect(),
  };
}

/** https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/009-redis-cluster.md has the reason of each option. */
function ownCluster(urls: readonly string[], options: ConnectOptions): OwnClient {
  const { username, password, protocol } = new URL(urls[0] ?? '');
  const cluster = new Cluster([...urls], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: failFast.retryStrategy,
    enableReadyCheck: false,
    // One of three redirections may be a TRYAGAIN, so a command is retried for 100 ms to 200 ms.
    maxRedirections: 6,
    retryDelayOnTryAgain: 50,
    // A command on a lost connection may have been executed.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: 2_000,
    slotsRefreshTimeout: 1_000,
    redisOptions: {
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
      ...options,
      ...failFast,
    },
    // A TLS certificate is checked against the name, so the name must not be resolved first.
    ...(protocol === 'rediss:' && { dnsLookup: (name, callback) => callback(null, name) }),
  });
  return {
    host: cluster,
    connect({ ready, error }) {
      let isReady = false;
      cluster.on('error', error);
      cluster.on('node error', error);
      // ioredis connects a node on its first call, and fails other calls until then. A redirected call runs before
      // `setImmediate`, and waits for its own connection.
      cluster.on('+node', (node: Redis) => {
        node.on('ready', () => isReady && ready());
        setImmediate(() => {
          if (node.status === 'wait') node.connect().catch(() => undefined);
        });
      });
      cluster.on('ready', async () => {
        await Promise.allSettled(cluster.nodes('master').map((node) => node.ping()));
        isReady = true;
        ready();
      });
      cluster.connect().catch(() => undefined);
    },
    disconnect: () => cluster.disconnect(),
  };
}
