import { getOrCreate } from '../get-or-create';
import { Description, LimiterOptionError, rejectUnknownOptions } from '../options';
import { createCommandHost } from './command-host';
import { createGivenStore, type RedisHost } from './ioredis-store';
import type { FunctionOptions } from './lua-function';
import { createReconnect, type NodeRedisClient } from './node-redis-reconnect';
import type { Store } from './store';
import { listUnsafeOptions, NODE_REDIS_RULES } from './unsafe-options';

/** The types that the store decodes, whatever types the client returns to other callers. */
const options = { typeMapping: {} };

/** The part of a node-redis cluster (4.7, 5 or 6) that the store needs; the result of `createCluster` fits. */
export interface NodeRedisCluster {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
    options?: object,
  ): Promise<unknown>;
  readonly masters: readonly NodeRedisNode[];
  on?: NodeRedisClient['on'];
  nodeClient(node: never): NodeRedisClient | Promise<NodeRedisClient>;
}

interface NodeRedisNode {
  readonly client?: { readonly options?: object | undefined } | undefined;
}

/**
 * Creates the store on a node-redis client, single or cluster. Set `disableOfflineQueue: true`, so that calls fail at once
 * while Redis is down.
 */
export function nodeRedisStore(
  client: NodeRedisClient | NodeRedisCluster,
  functionOptions: FunctionOptions = {},
): Store {
  rejectUnknownOptions('nodeRedisStore', functionOptions, { onWarning: true });
  if ('getSentinelNode' in client) {
    const fix = 'It keeps calls while the primary is lost, and sends them again. Use ioredis for Sentinels.';
    throw new LimiterOptionError('client', new Description('a client of Sentinels'), fix, 'nodeRedisStore');
  }
  const host = getOrCreate(hosts, client, () => nodeRedisHost(client));
  return createGivenStore(host, functionOptions, () => {
    // The connected nodes of a cluster have its `defaults`.
    const options = isCluster(client) ? client.masters[0]?.client?.options : (client.options ?? {});
    return listUnsafeOptions(client, options, NODE_REDIS_RULES);
  });
}

/** The host of each given client: one of them watches its connection. */
const hosts = new WeakMap<object, RedisHost>();

/** Creates the host of scripts on a node-redis client, single or cluster. */
export function nodeRedisHost(client: NodeRedisClient | NodeRedisCluster): RedisHost {
  return isCluster(client) ? clusterHost(client) : clientHost(client);
}

function isCluster(client: NodeRedisClient | NodeRedisCluster): client is NodeRedisCluster {
  return 'masters' in client;
}

function clientHost(client: NodeRedisClient): RedisHost {
  const { watch, onReadOnly } = createReconnect(() => [client]);
  const host = createCommandHost(async (args) => {
    try {
      return await watch(() => client.sendCommand(args, options));
    } catch (error) {
      // Redis 6 puts the code of an error in a script behind its own.
      if (error instanceof Error && error.message.includes('READONLY')) onReadOnly();
      throw error;
    }
  });
  // A copy would not have the commands that `defineCommand` adds.
  return Object.assign(host, { on: client.on?.bind(client) });
}

function clusterHost(cluster: NodeRedisCluster): RedisHost {
  const nodeClient = (node: NodeRedisNode) => cluster.nodeClient(node as never);
  // A replica of a cluster redirects calls, so no reply is READONLY.
  const { watch } = createReconnect(() => cluster.masters.map(nodeClient));
  const host = createCommandHost((args, key) => watch(() => cluster.sendCommand(key, false, args, options)));
  return Object.assign(host, {
    isCluster: true as const,
    on: cluster.on?.bind(cluster),
    nodes: () =>
      cluster.masters.map((node) =>
        createCommandHost(async (args) => (await nodeClient(node)).sendCommand(args, options)),
      ),
  });
}
