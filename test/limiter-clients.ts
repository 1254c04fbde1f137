import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5';
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import { createClient as createClient5, createCluster as createCluster5 } from 'redis-5';
import { getOrCreate } from '../server/limiter/get-or-create';
import { connectRedis as connectIoredis } from '../server/limiter/stores/connect-ioredis';
import { connectRedis as connectNodeRedis } from '../server/limiter/stores/connect-node-redis';
import { ioredisStore, type RedisHost } from '../server/limiter/stores/ioredis-store';
import type { NodeRedisClient } from '../server/limiter/stores/node-redis-reconnect';
import { type NodeRedisCluster, nodeRedisStore } from '../server/limiter/stores/node-redis-store';
import { restStore } from '../server/limiter/stores/rest-store';
import type { Store } from '../server/limiter/stores/store';
import { connectTestRedis } from './redis';
import { startRestServer } from './services/rest-server';

/** A store on its own connection. */
export interface ConnectedStore {
  store: Store;
  /** Disconnects at once, also from a Redis that is down. */
  close(): void;
}

/** A Redis client that the npm package supports. */
export interface RedisClientKind {
  client: string;
  /** Connects as the package's README says. Several addresses, comma-separated, are a cluster. */
  connect(url: string): Promise<ConnectedStore>;
}

/** Every Redis client that the npm package supports. */
export const redisClients: readonly RedisClientKind[] = [
  {
    client: 'ioredis',
    async connect(url) {
      const redis = await connectTestRedis(url);
      return { store: ioredisStore(redis), close: () => redis.disconnect() };
    },
  },
  ioredis('ioredis with a keyPrefix', {
    one: (url, options) => new Redis(url, { ...options, keyPrefix: 'app:' }),
    many: (urls, options) => new Cluster(urls, { ...options, keyPrefix: 'app:' }),
  }),
  ioredis('ioredis 5', {
    one: (url, options) => new Redis5(url, options),
    many: (urls, options) => new Cluster5(urls, options),
  }),
  ioredis('iovalkey', {
    one: (url, options) => new Valkey(url, options),
    many: (urls, options) => new ValkeyCluster(urls, options),
  }),
  connected('connectRedis on ioredis', connectIoredis),
  connected('connectRedis on node-redis', connectNodeRedis),
  nodeRedis('node-redis 6', { createClient, createCluster }),
  nodeRedis('node-redis 5', { createClient: createClient5, createCluster: createCluster5 }),
];

/** The store on the REST API of Upstash, by its stand-in. It has neither a connection to keep nor a cluster. */
export const restClient: RedisClientKind = {
  client: 'REST',
  async connect(url) {
    const rest = await startRestServer(url);
    return { store: restStore({ url: rest.url, token: rest.token }), close: rest.stop };
  },
};

/**
 * A store that connects itself. Tests stop Redis, so its warnings of lost connections are ignored. The limiters of a test have
 * one store, not one each: they are too many to be closed, and an open one is kept.
 */
function connected(client: string, connectRedis: (target: string | string[]) => Store): RedisClientKind {
  return {
    client,
    async connect(url) {
      const store = connectRedis(url.includes(',') ? url.split(',') : url);
      const stores = new Map<number, Store>();
      const onWarning = () => undefined;
      const forLimiter = ({ timeoutMs }: { timeoutMs: number }): Store => {
        const one = getOrCreate(
          stores,
          timeoutMs,
          () => store.forLimiter?.({ timeoutMs, onWarning }) ?? store,
        );
        return { ...one, close: async () => undefined };
      };
      // Connects before the first call, as the others do. A user without rights connects, too.
      await forLimiter({ timeoutMs: 1 })
        .ready({ hasQueues: false, onWarning })
        .catch(() => undefined);
      return { store: { ...store, forLimiter }, close: () => stores.forEach((one) => void one.close?.()) };
    },
  };
}

/** The part of an ioredis client or cluster that tests need. */
type Ioredis = RedisHost & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  disconnect(): void;
};

/** The options of the package's README. */
const failFast = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2_000,
  socketTimeout: 5_000,
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
};
const oneOptions = { lazyConnect: true, ...failFast };
const manyOptions = { lazyConnect: true, enableOfflineQueue: false, redisOptions: failFast };

interface IoredisModule {
  one(url: string, options: typeof oneOptions): Ioredis;
  many(urls: string[], options: typeof manyOptions): Ioredis;
}

function ioredis(client: string, { one, many }: IoredisModule): RedisClientKind {
  return {
    client,
    async connect(url) {
      const urls = url.split(',');
      const redis = urls.length > 1 ? many(urls, manyOptions) : one(url, oneOptions);
      redis.on('error', () => undefined);
      await redis.connect();
      return { store: ioredisStore(redis), close: () => redis.disconnect() };
    },
  };
}

/** The part of a node-redis client or cluster that tests need. */
type NodeRedis = (NodeRedisClient | NodeRedisCluster) & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
};

interface NodeRedisModule {
  createClient(options: { url: string; disableOfflineQueue: boolean }): NodeRedis;
  createCluster(options: {
    rootNodes: { url: string }[];
    defaults: { disableOfflineQueue: boolean };
  }): NodeRedis;
}

function nodeRedis(
  client: string,
  { createClient: one, createCluster: many }: NodeRedisModule,
): RedisClientKind {
  return {
    client,
    async connect(url) {
      const rootNodes = url.split(',').map((node) => ({ url: node }));
      const redis =
        rootNodes.length > 1
          ? many({ rootNodes, defaults: { disableOfflineQueue: true } })
          : one({ url, disableOfflineQueue: true });
      redis.on('error', () => undefined);
      await redis.connect();
      return { store: nodeRedisStore(redis), close: () => redis.destroy() };
    },
  };
}
