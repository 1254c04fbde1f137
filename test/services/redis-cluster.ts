import { Redis } from 'ioredis';
import type { Service } from '../../scripts/lib/services/spawn-service.mjs';
import { startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { eventually } from '../until';
import { findLowPort } from './low-port';
import { makeTempFolder } from './temp-folder';

/** A private Redis Cluster: three masters with one replica each, in separate processes. */
export interface RedisCluster {
  /** The value of `REDIS_URL`: all nodes, comma-separated. */
  url: string;
  nodes: readonly ClusterNode[];
  /** Returns the hash slot of a key. */
  slotOf(key: string): Promise<number>;
  /** Returns the current master of a key. */
  masterOfKey(key: string): Promise<ClusterNode>;
  /** Returns the current master of a slot. */
  masterOf(slot: number): Promise<ClusterNode>;
  /** Returns the current live replicas of a master. */
  replicasOf(master: ClusterNode): Promise<ClusterNode[]>;
  /** Waits until every live node reports that all slots are served, and every live replica follows its master. */
  waitUntilSettled(): Promise<void>;
  /** Stops all nodes and removes their files. */
  stop(): Promise<void>;
}

export interface ClusterNode {
  url: string;
  port: number;
  /** The node id in the cluster. */
  id: string;
  /** A connection to this node only. */
  client: Redis;
  /** The process of the server, for SIGSTOP and SIGCONT. */
  pid(): number;
  /** Sends SIGKILL, as in a crash. The folder stays. */
  kill(): Promise<void>;
  /** Restarts the node in its folder, on its port. It rejoins by itself. */
  start(): Promise<void>;
}

const MASTERS = 3;
const SLOTS = 16_384;

export interface RedisClusterOptions {
  /** True keeps data across `kill`. Default: false, so that a node restarts empty. */
  appendonly?: boolean;
  /**
   * The time without a reply after which the cluster considers a node failed. Default: 1000, far shorter than the default
   * of Redis (15 s), to keep tests short.
   */
  nodeTimeoutMs?: number;
}

/** Starts a cluster and resolves when all slots are served. A failed start stops all nodes. */
export async function startRedisCluster({
  appendonly = false,
  nodeTimeoutMs = 1_000,
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const folder = await makeTempFolder('redis-cluster');
  const starts = await Promise.allSettled(
    Array.from({ length: 2 * MASTERS }, (_, index) =>
      startNode({ dir: `${folder.dir}/${index}`, appendonly, nodeTimeoutMs }),
    ),
  );
  const nodes = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await folder.remove();
  };
  const cluster = createCluster(nodes, stop);
  try {
    const failure = starts.find((start) => start.status === 'rejected');
    if (failure) throw failure.reason;
    await joinNodes(nodes);
    await cluster.waitUntilSettled();
  } catch (error) {
    await stop();
    throw error;
  }
  return cluster;
}

function createCluster(nodes: readonly StartedNode[], stop: () => Promise<void>): RedisCluster {
  const alive = () => nodes.filter((node) => node.isAlive());

  function findLiveNode(): StartedNode {
    const [node] = alive();
    if (!node) throw new Error('no node of the cluster is alive');
    return node;
  }

  async function slotOf(key: string): Promise<number> {
    return Number(await findLiveNode().client.cluster('KEYSLOT', key));
  }

  async function masterOf(slot: number): Promise<ClusterNode> {
    const rows = await readView(findLiveNode());
    return nodeOf(rows.find(({ serves }) => serves(slot))?.id);
  }

  const nodeOf = (id: string | undefined): ClusterNode => {
    const found = nodes.find((node) => node.id === id);
    if (!found) throw new Error(`the cluster has no node ${id}`);
    return found;
  };

  return {
    url: nodes.map(({ url }) => url).join(','),
    nodes,
    slotOf,
    masterOfKey: async (key) => masterOf(await slotOf(key)),
    masterOf,
    async replicasOf({ id }) {
      const rows = await readView(findLiveNode());
      return rows.filter((row) => row.masterId === id && !row.isFailing).map((row) => nodeOf(row.id));
    },
    async waitUntilSettled() {
      await untilSettled(async () => {
        const views = await Promise.all(alive().map(readSettledView));
        return views.every((view) => view !== undefined && view === views[0]);
      });
    },
    stop,
  };
}

/** Returns the view of a settled node in a comparable form, or undefined if the node is not settled. */
async function readSettledView(node: ClusterNode): Promise<string | undefined> {
  const [info, replication, rows] = await Promise.all([
    node.client.cluster('INFO').then(String),
    node.client.info('replication'),
    readView(node),
  ]);
  const isServed = info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
  const isMaster = rows.some(({ id, masterId }) => id === node.id && masterId === undefined);
  const follows = replication.includes(isMaster ? 'role:master' : 'master_link_status:up');
  if (!isServed || !follows || !rows.every(({ isKnown }) => isKnown)) return undefined;
  const states = rows.map(({ id, masterId, isFailing, ranges }) => ({ id, masterId, isFailing, ranges }));
  return JSON.stringify(states.sort((one, other) => one.id.localeCompare(other.id)));
}

/** Reads CLUSTER NODES from one node. */
async function readView({ client }: ClusterNode) {
  const text = String(await client.cluster('NODES'));
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', , flags = '', masterId = '-', , , , , ...slots] = line.split(' ');
      const ranges = slots
        .filter((range) => !range.startsWith('['))
        .map((range) => range.split('-').map(Number));
      return {
        id,
        masterId: masterId === '-' ? undefined : masterId,
        isFailing: flags.includes('fail'),
        ranges,
        isKnown: !flags.includes('handshake') && !flags.includes('noaddr'),
        serves: (slot: number) =>
          !flags.includes('fail') &&
          ranges.some(([first = 0, last = first]) => first <= slot && slot <= last),
      };
    });
}

/** Assigns slots to the masters, introduces all nodes to each other, and makes the other nodes replicas. */
async function joinNodes(nodes: readonly StartedNode[]): Promise<void> {
  const masters = nodes.slice(0, MASTERS);
  const replicas = nodes.slice(MASTERS);
  await Promise.all(
    masters.map(async ({ client }, index) => {
      const first = Math.floor((index * SLOTS) / MASTERS);
      const last = Math.floor(((index + 1) * SLOTS) / MASTERS) - 1;
      await client.cluster('ADDSLOTSRANGE', first, last);
      // Nodes with the same epoch would first have to resolve conflicts of slot ownership.
      await client.cluster('SET-CONFIG-EPOCH', index + 1);
    }),
  );
  const [first] = nodes;
  for (const { port, busPort } of nodes.slice(1)) {
    await first?.client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  const hasMetAll = async (node: ClusterNode) => {
    const rows = await readView(node);
    return rows.length === nodes.length && rows.every(({ isKnown }) => isKnown);
  };
  await untilSettled(async () => (await Promise.all(nodes.map(hasMetAll))).every(Boolean));
  await Promise.all(
    replicas.map(({ client }, index) => client.cluster('REPLICATE', masters[index]?.id ?? '')),
  );
}

interface StartedNode extends ClusterNode {
  busPort: number;
  isAlive(): boolean;
  stop(): Promise<void>;
}

async function startNode({
  dir,
  appendonly,
  nodeTimeoutMs,
}: { dir: string } & Required<RedisClusterOptions>): Promise<StartedNode> {
  const [port, busPort] = [await findLowPort(), await findLowPort()];
  let service: Service | undefined;
  const start = async () => {
    const more = [
      ['--cluster-enabled', 'yes'],
      // The default, the port + 10 000, may exceed the valid range.
      ['--cluster-port', String(busPort)],
      ['--cluster-node-timeout', String(nodeTimeoutMs)],
      ['--cluster-require-full-coverage', 'no'],
      ['--cluster-allow-replica-migration', 'no'],
      ['--repl-diskless-sync-delay', '0'],
      ['--repl-ping-replica-period', '1'],
    ].flat();
    service = await startNativeRedis({ dir, port, appendonly, more });
  };
  const end = async (how: 'kill' | 'stop') => {
    const running = service;
    service = undefined;
    await running?.[how]();
  };

  await start();
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50 });
  // A killed node causes connection errors.
  client.on('error', () => undefined);
  const stop = async () => {
    client.disconnect();
    await end('stop');
  };
  try {
    const id = String(await client.cluster('MYID'));
    return {
      url,
      port,
      busPort,
      id,
      client,
      pid: () => service?.pid ?? 0,
      isAlive: () => service !== undefined,
      kill: () => end('kill'),
      start,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function untilSettled(isMet: () => Promise<boolean>): Promise<void> {
  return eventually(isMet, 'the cluster is settled', { withinMs: 20_000 });
}
