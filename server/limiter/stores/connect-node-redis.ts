import { createClient, createCluster, type RedisClientOptions } from 'redis';
import { createConnectedStore, keyOfOptions, type OwnClient, readTarget, readUrls } from './connection';
import type { NodeRedisClient } from './node-redis-reconnect';
import { type NodeRedisCluster, nodeRedisHost } from './node-redis-store';
import type { Store } from './store';

/** The entry point `./node-redis` of the package. */
export type { NodeRedisClient } from './node-redis-reconnect';
export { type NodeRedisCluster, nodeRedisStore } from './node-redis-store';
export type { Store } from './store';

const CONNECT_OPTIONS = ['url', 'username', 'password', 'database', 'name', 'socket'] as const;

/**
 * The options of `connectRedis`: where Redis is. Those of node-redis that decide how calls fail are set by it, also the timeouts
 * and the strategy of `socket`.
 */
export interface ConnectOptions
  extends Pick<RedisClientOptions, Exclude<(typeof CONNECT_OPTIONS)[number], 'url'>> {
  /** `redis://` or `rediss://`; a list of them is a cluster. Default: the `host` and `port`, or the `path`, of `socket`. */
  url?: string | readonly string[];
}

type ClientOptions = Omit<ConnectOptions, 'url'>;

/** A call fails at once while Redis is down, and a lost connection is replaced within 10 s. */
const failFast = {
  disableOfflineQueue: true,
  // An idle connection, and one that is being made, is dead without a reply for 5 s.
  pingInterval: 2_000,
  socket: {
    connectTimeout: 2_000,
    socketTimeout: 5_000,
    reconnectStrategy: (attempt: number) => Math.min(2 ** attempt * 25, 500),
  },
};

/** The longest time of an attempt to connect to all masters of a cluster, and the time to the next one, in ms. */
const DISCOVER_TIMEOUT_MS = 5_000;
const DISCOVER_AGAIN_MS = 500;

/**
 * Creates a store on node-redis that connects with its first call, shares its connection with the other limiters of the process
 * that have the same options, and is closed by `limiter.close()`. Takes the URL of Redis, a list of URLs of a cluster, or
 * options. Throws a `LimiterOptionError` for a missing or wrong URL and for an unknown option.
 */
export function connectRedis(target: string | readonly string[] | ConnectOptions): Store {
  const { url, ...options }: ConnectOptions = readTarget<ConnectOptions>(target, CONNECT_OPTIONS);
  const { socket = {} } = options;
  const isPlaced = 'host' in socket || 'path' in socket;
  const { urls, isCluster } = url === undefined && isPlaced ? { urls: [], isCluster: false } : readUrls(url);
  return createConnectedStore({
    key: keyOfOptions('node-redis', [urls, isCluster, options]),
    isCluster,
    createClient: () => ownClient(isCluster ? clusterOf(urls, options) : clientOf(urls[0], options)),
  });
}

function clientOf(url: string | undefined, { socket, ...options }: ClientOptions): OwnNodeRedis {
  const all = { ...options, ...failFast, socket: { ...socket, ...failFast.socket } };
  return createClient(url === undefined ? all : { url, ...all });
}

/** The nodes that are found have none of the options of the URLs. */
function clusterOf(urls: readonly string[], { socket, ...options }: ClientOptions): OwnNodeRedis {
  const { username, password, protocol } = new URL(urls[0] ?? '');
  return createCluster({
    rootNodes: urls.map((url) => ({ url })),
    defaults: {
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...options,
      ...failFast,
      socket: { ...(protocol === 'rediss:' && { tls: true }), ...socket, ...failFast.socket },
    },
  });
}

/** The part of a client or cluster of node-redis that a connection needs. */
type OwnNodeRedis = (NodeRedisClient | NodeRedisCluster) & {
  on(event: string, listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  destroy?(): unknown;
  disconnect?(): unknown;
  ref?(): void;
  unref?(): void;
};

function ownClient(client: OwnNodeRedis): OwnClient {
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  async function end(): Promise<void> {
    try {
      // Named `disconnect` in version 4.
      await (client.destroy ?? client.disconnect)?.call(client);
    } catch {
      // Before version 6, a client that is closed throws.
    }
  }

  return {
    host: nodeRedisHost(client),
    connect({ ready, error }) {
      let isConnected = false;
      for (const event of ['ready', 'node-ready']) client.on(event, () => isConnected && ready());
      for (const event of ['error', 'node-error'])
        client.on(event, (reason) => {
          if (!isEnded) error(reason);
        });
      // `destroy` leaves a socket that is being made. A call that waits for it keeps the process alive by its timeout.
      client.unref?.();
      client.on('connect', () => void (isEnded ? end() : client.ref?.()));

      /** A single client goes on until it is connected. A cluster gives up, or waits for a node that is lost. */
      async function connectOnce(): Promise<void> {
        if ('masters' in client) timer = setTimeout(end, DISCOVER_TIMEOUT_MS);
        try {
          await client.connect();
          clearTimeout(timer);
          if (isEnded) return await end();
          isConnected = true;
          ready();
        } catch (reason) {
          clearTimeout(timer);
          if (isEnded) return;
          error(reason instanceof Error ? reason : new Error(String(reason)));
          timer = setTimeout(connectOnce, DISCOVER_AGAIN_MS);
        }
      }
      void connectOnce();
    },
    disconnect() {
      clearTimeout(timer);
      isEnded = true;
      void end();
    },
  };
}
