import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import type { Service } from '../scripts/lib/services/spawn-service.mjs';
import { startNginx } from '../scripts/lib/services/start-nginx.mjs';
import { startPgliteService } from '../scripts/lib/services/start-pglite.mjs';
import { startPostgresServer } from '../scripts/lib/services/start-postgres.mjs';
import { startNativeRedis } from '../scripts/lib/services/start-redis.mjs';
import { createDatabase, type Database } from '../server/db/client';
import { migrateDatabase } from '../server/db/migrate';
import { type BuiltServer, startBuiltServer } from '../test/services/built-server';
import { type LossyProxy, startLossyProxy } from '../test/services/lossy-proxy';
import { findLowPort } from '../test/services/low-port';
import { type RedisCluster, startRedisCluster } from '../test/services/redis-cluster';
import { makeTempFolder } from '../test/services/temp-folder';
import { type KeptProcess, keepRunning } from './keep-running';

/** Everything that a drill runs against, each of it a process of its own on loopback that is kept running. */
export interface Topology {
  nodes: readonly DrillNode[];
  /** In front of the nodes, where the drill asks for it. */
  nginx: NginxFront | undefined;
  store: Store;
  ledger: { kind: LedgerKind; url: string; service: KeptProcess<Service> };
  /** The drill's own way to the ledger, beside the nodes. */
  database: Database;
  stop(): Promise<void>;
}

export interface DrillNode {
  name: string;
  url: string;
  server: KeptProcess<BuiltServer>;
}

export interface NginxFront {
  url: string;
  server: KeptProcess<Service>;
}

export type LedgerKind = 'postgres' | 'pglite';
export type Store = SingleStore | ClusterStore;

export interface SingleStore {
  kind: 'single';
  /** Past the proxy, where there is one. */
  url: string;
  dir: string;
  redis: KeptProcess<Service>;
  /** Between the nodes and Redis. */
  proxy: LossyProxy;
}

export interface ClusterStore {
  kind: 'cluster';
  url: string;
  cluster: RedisCluster;
}

/** What a drill asks for. */
export interface TopologyOptions {
  /** `proxied: false`: nodes reach Redis without the drill's own process in between. Default: true. */
  store: { kind: 'single'; appendonly: boolean; proxied?: boolean } | { kind: 'cluster' };
  ledger: LedgerKind;
  /** Whether shoppers reach the nodes through nginx. Default: false. */
  behindNginx?: boolean | undefined;
  /** Added to the environment of a node, by its place. */
  nodeEnv?: ((place: number) => Record<string, string>) | undefined;
  /** Takes what the nodes log. */
  logDir: string;
}

/** As in docker-compose.yml. */
const NODES = 3;
/** As in docker-compose.yml: longer than a restart takes, so that a master that comes back is still one. */
const CLUSTER_NODE_TIMEOUT_MS = 5_000;

/** Starts databases and nodes. What a failed start began is ended. */
export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const { store, ledger, nodeEnv, behindNginx = false, logDir } = options;
  const isProxied = store.kind === 'single' && (store.proxied ?? true);
  const cleanups: Cleanups = [];
  const stop = async () => {
    // Nodes before what they need, and whatever one ending throws, the others.
    const failures: unknown[] = [];
    for (const end of cleanups.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything of the drill ended.');
  };
  try {
    const [runningStore, runningLedger] = await settleAll([
      store.kind === 'cluster' ? startCluster(cleanups) : startSingle(store, cleanups),
      startLedger(ledger, cleanups),
    ]);
    const database = createDatabase({ url: runningLedger.url, pglite: ledger === 'pglite' });
    cleanups.push(() => database.close());
    await migrateDatabase(database);

    mkdirSync(logDir, { recursive: true });
    const env = {
      REDIS_URL: isProxied && runningStore.kind === 'single' ? runningStore.proxy.url : runningStore.url,
      DATABASE_URL: runningLedger.url,
      FLOODGATE_PGLITE: ledger === 'pglite' ? '1' : '0',
      LOG_LEVEL: 'info',
    };
    // PGlite is one session in all, so it serves one node.
    const places = Array.from({ length: ledger === 'pglite' ? 1 : NODES }, (_, place) => place);
    const nodes = await settleAll(
      places.map((place) =>
        startDrillNode({ place, env: { ...env, ...nodeEnv?.(place) }, logDir, endings: cleanups }),
      ),
    );
    const nginx = behindNginx ? await startNginxFront({ nodes, logDir, endings: cleanups }) : undefined;
    return { nodes, nginx, store: runningStore, ledger: runningLedger, database, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Cleanups = (() => Promise<void> | void)[];

async function startDrillNode({
  place,
  env,
  logDir,
  endings,
}: {
  place: number;
  env: Record<string, string>;
  logDir: string;
  endings: Cleanups;
}): Promise<DrillNode> {
  const PORT = String(await findLowPort());
  const name = `node-${place + 1}`;
  const output = openSync(path.join(logDir, `${name}.log`), 'a');
  endings.push(() => closeSync(output));
  const server = await keepRunning(() => startBuiltServer({ ...env, PORT }, { output }));
  endings.push(() => server.stop());
  return { name, url: `http://127.0.0.1:${PORT}`, server };
}

/** The shipped nginx.conf; only its names are those of this machine. */
async function startNginxFront({
  nodes,
  logDir,
  endings,
}: {
  nodes: readonly DrillNode[];
  logDir: string;
  endings: Cleanups;
}): Promise<NginxFront> {
  const port = await findLowPort();
  const addresses = nodes.map(({ url }) => new URL(url).host);
  const server = await keepRunning(() =>
    startNginx({ dir: path.join(logDir, 'nginx'), port, nodes: addresses }),
  );
  endings.push(() => server.stop());
  return { url: `http://127.0.0.1:${port}`, server };
}

async function startCluster(endings: Cleanups): Promise<ClusterStore> {
  const cluster = await startRedisCluster({ appendonly: true, nodeTimeoutMs: CLUSTER_NODE_TIMEOUT_MS });
  endings.push(() => cluster.stop());
  return { kind: 'cluster', url: cluster.url, cluster };
}

async function startSingle({ appendonly }: { appendonly: boolean }, endings: Cleanups): Promise<SingleStore> {
  const folder = await makeTempFolder('drill-redis');
  endings.push(folder.remove);
  const { dir } = folder;
  const port = await findLowPort();
  const redis = await keepRunning(() => startNativeRedis({ dir, port, appendonly, restart: false }));
  endings.push(() => redis.stop());
  const url = `redis://127.0.0.1:${port}`;
  const proxy = await startLossyProxy(url);
  endings.push(() => proxy.stop());
  return { kind: 'single', url, dir, redis, proxy };
}

async function startLedger(kind: LedgerKind, endings: Cleanups): Promise<Topology['ledger']> {
  const folder = await makeTempFolder('drill-ledger');
  endings.push(folder.remove);
  const port = await findLowPort();
  const start = kind === 'postgres' ? startPostgresServer : startPgliteService;
  const service = await keepRunning(() => start({ dir: folder.dir, port }));
  endings.push(() => service.stop());
  return { kind, url: service.current()?.url ?? '', service };
}

/** All of them, or the first failure once all have ended, so that nothing starts after everything was stopped. */
async function settleAll<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Place in keyof Work]: Awaited<Work[Place]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
