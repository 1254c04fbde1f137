import { createHash } from 'node:crypto';
import { ioredisStore } from '../limiter/ioredis-store';
import type { FunctionHost, FunctionOptions } from '../limiter/lua-function';
import type { Store } from '../limiter/store';
import { StoreReplyError } from '../limiter/store-error';

/** The part of a node-redis client (5 or 6) that the store needs; the result of `createClient` fits. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** The part of a node-redis cluster that the store needs; the result of `createCluster` fits. */
export interface NodeRedisCluster {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
  ): Promise<unknown>;
  readonly masters: readonly NodeRedisNode[];
  nodeClient(node: never): NodeRedisClient | Promise<NodeRedisClient>;
}

type NodeRedisNode = object;

/**
 * Creates the store on a node-redis client, single or cluster. Set `disableOfflineQueue: true`, so that calls fail at once
 * while Redis is down.
 */
export function nodeRedisStore(
  client: NodeRedisClient | NodeRedisCluster,
  options: FunctionOptions = {},
): Store {
  return ioredisStore(isCluster(client) ? clusterHost(client) : clientHost(client), options);
}

function isCluster(client: NodeRedisClient | NodeRedisCluster): client is NodeRedisCluster {
  return 'masters' in client;
}

/** Sends a command of the script host; `key` is its first key. */
type Send = (args: string[], key: string | undefined) => Promise<unknown>;

function clientHost(client: NodeRedisClient): FunctionHost {
  return createHost((args) => client.sendCommand(args));
}

function clusterHost(cluster: NodeRedisCluster): FunctionHost & { isCluster: true } {
  const host = createHost((args, key) => cluster.sendCommand(key, false, args));
  // A copy would not have the commands that `defineCommand` adds.
  return Object.assign(host, {
    isCluster: true as const,
    nodes: () =>
      cluster.masters.map((node) =>
        createHost(async (args) => (await cluster.nodeClient(node as never)).sendCommand(args)),
      ),
  });
}

/** Creates the part of an ioredis client that runs scripts and functions. */
function createHost(sendRaw: Send): FunctionHost {
  async function send(args: readonly (string | number)[], key?: string): Promise<unknown> {
    try {
      return await sendRaw(args.map(String), key);
    } catch (error) {
      throw isErrorReply(error) ? new StoreReplyError(error.message) : error;
    }
  }
  const host: FunctionHost = {
    defineCommand(name, { lua }) {
      const hash = createHash('sha1').update(lua).digest('hex');
      Reflect.set(host, name, async (keyCount: number, ...keysAndArgs: (string | number)[]) => {
        const rest = [keyCount, ...keysAndArgs];
        const key = keyCount > 0 ? String(keysAndArgs[0]) : undefined;
        try {
          return await send(['EVALSHA', hash, ...rest], key);
        } catch (error) {
          if (!(error instanceof StoreReplyError && error.message.startsWith('NOSCRIPT'))) throw error;
          return send(['EVAL', lua, ...rest], key);
        }
      });
    },
    fcall: (name, keyCount, ...keysAndArgs) =>
      send(['FCALL', name, keyCount, ...keysAndArgs], keyCount > 0 ? String(keysAndArgs[0]) : undefined),
    function: (...args: string[]) => send(['FUNCTION', ...args]),
  };
  return host;
}

/** The classes of node-redis for error replies, which it does not export from every version. */
const ERROR_REPLIES = new Set(['ErrorReply', 'SimpleError', 'BlobError']);

function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && ERROR_REPLIES.has(error.constructor.name);
}
