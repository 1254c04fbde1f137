import { closeSync, mkdirSync, openSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { runOrThrow } from '../scripts/lib/processes.mjs';
import type { Service } from '../scripts/lib/services/spawn-service.mjs';
import { startNativeRedis, startPgliteService } from '../scripts/lib/services/start-services.mjs';
import { createDatabase, type Database } from '../server/db/client';
import { migrateDatabase } from '../server/db/migrate';
import { type BuiltServer, startBuiltServer } from '../test/services/built-server';
import { findLowPort } from '../test/services/low-port';
import { startNginx } from '../test/services/nginx';
import { startPostgresServer } from '../test/services/postgres-server';
import { type RedisCluster, startRedisCluster } from '../test/services/redis-cluster';
import { type RedisProxy, startRedisProxy } from '../test/services/redis-proxy';
import { makeTempFolder } from '../test/services/temp-folder';
import { type KeptProcess, keepRunning } from './keep-running';

/** The processes of a drill on loopback. Each restarts after it dies. */
export interface Topology {
  nodes: readonly DrillNode[];
  /** The proxy in front of the nodes, if the drill requests it. */
  nginx: NginxFront | undefined;
  store: Store;
  ledger: { kind: LedgerKind; url: string; service: KeptProcess<Service> };
  /** The drill's own connection to the ledger. */
  database: Database;
  stop(): Promise<void>;
}

export interface DrillNode {
  name: string;
  url: string;
  server: KeptProcess<BuiltServer>;
  /** Returns true until a node that was started from the other build restarts. */
  isOtherBuild(): boolean;
}

export interface NginxFront {
  url: string;
  server: KeptProcess<Service>;
}

export type LedgerKind = 'postgres' | 'pglite';
export type Store = SingleStore | ClusterStore;

export interface SingleStore {
  kind: 'single';
  /** The address of Redis itself, without the proxy. */
  url: string;
  dir: string;
  redis: KeptProcess<Service>;
  /** The proxy between the nodes and Redis. */
  proxy: RedisProxy;
}

export interface ClusterStore {
  kind: 'cluster';
  url: string;
  cluster: RedisCluster;
}

/** The topology that a drill needs. */
export interface TopologyOptions {
  /** `proxied: false`: nodes reach Redis without the drill's own process in between. Default: true. */
  store: { kind: 'single'; appendonly: boolean; proxied?: boolean } | { kind: 'cluster' };
  ledger: LedgerKind;
  /** True puts nginx in front of the nodes. Default: false. */
  behindNginx?: boolean | undefined;
  /** Returns additional environment variables of a node. */
  nodeEnv?: ((index: number) => Record<string, string>) | undefined;
  /** True starts the last node from a build with another limiter function. It restarts from this build. Default: false. */
  hasOtherBuild?: boolean | undefined;
  /** Receives the logs of the nodes. */
  logDir: string;
}

/** As in docker-compose.yml. */
const NODES = 3;
/** As in docker-compose.yml: longer than a restart, so that a restarted master is not replaced. */
const CLUSTER_NODE_TIMEOUT_MS = 5_000;

/** Starts databases and nodes. A failed start stops everything that it started. */
export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const { store, ledger, nodeEnv, behindNginx = false, hasOtherBuild = false, logDir } = options;
  const isProxied = store.kind === 'single' && (store.proxied ?? true);
  const cleanups: Cleanups = [];
  const stop = async () => {
    // Stops nodes before databases, and continues after a failure.
    const failures: unknown[] = [];
    for (const cleanup of cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Some processes of the drill did not stop.');
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
    // PGlite has one session, so it serves one node.
    const indexes = Array.from({ length: ledger === 'pglite' ? 1 : NODES }, (_, index) => index);
    const other = hasOtherBuild ? await provideOtherBuild(cleanups) : undefined;
    const nodes = await settleAll(
      indexes.map((index) => {
        const firstFolder = index === indexes.length - 1 ? other : undefined;
        return startDrillNode({ index, firstFolder, env: { ...env, ...nodeEnv?.(index) }, logDir, cleanups });
      }),
    );
    const nginx = behindNginx ? await startNginxFront({ nodes, logDir, cleanups }) : undefined;
    return { nodes, nginx, store: runningStore, ledger: runningLedger, database, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Cleanups = (() => Promise<void> | void)[];

async function startDrillNode({
  index,
  firstFolder,
  env,
  logDir,
  cleanups,
}: {
  index: number;
  /** The build of the first start. Default: the project's, of which every restart is. */
  firstFolder: string | undefined;
  env: Record<string, string>;
  logDir: string;
  cleanups: Cleanups;
}): Promise<DrillNode> {
  const PORT = String(await findLowPort());
  const name = `node-${index + 1}`;
  const output = openSync(path.join(logDir, `${name}.log`), 'a');
  cleanups.push(() => closeSync(output));
  let folder = firstFolder;
  const server = await keepRunning(() => startBuiltServer({ ...env, PORT }, { output, folder }));
  const isOtherBuild = () => folder !== undefined;
  void server.current()?.ended.then(() => {
    folder = undefined;
  });
  cleanups.push(() => server.stop());
  return { name, url: `http://127.0.0.1:${PORT}`, server, isOtherBuild };
}

async function provideOtherBuild(cleanups: Cleanups): Promise<string> {
  const { dir, remove } = await makeTempFolder('drill-build');
  cleanups.push(remove);
  await copyOtherBuild(dir);
  return dir;
}

/**
 * Copies the build into an empty folder, with another text of `decide.lua`. Its nodes use a function of another name, as
 * those of a release with a changed limiter do.
 */
async function copyOtherBuild(folder: string): Promise<void> {
  await runOrThrow(process.execPath, ['--import', 'tsx', 'scripts/runtime.ts', folder], {
    hint: 'Run: npm run build',
  });
  await appendFile(path.join(folder, 'lua/limiter/decide.lua'), '-- The text of another release.\n');
}

/** Starts nginx with the shipped nginx.conf, in which only addresses and paths are replaced. */
async function startNginxFront({
  nodes,
  logDir,
  cleanups,
}: {
  nodes: readonly DrillNode[];
  logDir: string;
  cleanups: Cleanups;
}): Promise<NginxFront> {
  const port = await findLowPort();
  const addresses = nodes.map(({ url }) => new URL(url).host);
  const server = await keepRunning(() =>
    startNginx({ dir: path.join(logDir, 'nginx'), port, nodes: addresses }),
  );
  cleanups.push(() => server.stop());
  return { url: `http://127.0.0.1:${port}`, server };
}

async function startCluster(cleanups: Cleanups): Promise<ClusterStore> {
  const cluster = await startRedisCluster({ appendonly: true, nodeTimeoutMs: CLUSTER_NODE_TIMEOUT_MS });
  cleanups.push(() => cluster.stop());
  return { kind: 'cluster', url: cluster.url, cluster };
}

async function startSingle(
  { appendonly }: { appendonly: boolean },
  cleanups: Cleanups,
): Promise<SingleStore> {
  const folder = await makeTempFolder('drill-redis');
  cleanups.push(folder.remove);
  const { dir } = folder;
  const port = await findLowPort();
  const redis = await keepRunning(() => startNativeRedis({ dir, port, appendonly }));
  cleanups.push(() => redis.stop());
  const url = `redis://127.0.0.1:${port}`;
  const proxy = await startRedisProxy(url);
  cleanups.push(() => proxy.stop());
  return { kind: 'single', url, dir, redis, proxy };
}

async function startLedger(kind: LedgerKind, cleanups: Cleanups): Promise<Topology['ledger']> {
  const folder = await makeTempFolder('drill-ledger');
  cleanups.push(folder.remove);
  const port = await findLowPort();
  const start = kind === 'postgres' ? startPostgresServer : startPgliteService;
  const service = await keepRunning(() => start({ dir: folder.dir, port }));
  cleanups.push(() => service.stop());
  return { kind, url: service.current()?.url ?? '', service };
}

/** Returns all results. Throws the first failure after all have settled, so that nothing starts after the cleanup. */
async function settleAll<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
