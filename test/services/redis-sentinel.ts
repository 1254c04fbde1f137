import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { stopChild } from '../../scripts/lib/processes.mjs';
import { startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { findRedisServer, programEnv } from '../../scripts/lib/tools.mjs';
import { eventually } from '../until';
import { findLowPort } from './low-port';
import { makeTempFolder } from './temp-folder';

/** A primary and its replica, watched by three Sentinels, all in separate processes. */
export interface SentinelRedis {
  /** The value of `REDIS_URL`. */
  url: string;
  /** Returns the port of the primary that the Sentinels name. */
  primaryPort(): Promise<number>;
  /** Kills the primary, as in a crash. */
  killPrimary(): Promise<void>;
  /** Stops all processes and removes their files. */
  stop(): Promise<void>;
}

const NAME = 'main';
const SENTINELS = 3;

/** Starts the processes and resolves when every Sentinel has found the replica and the others. */
export async function startSentinelRedis(): Promise<SentinelRedis> {
  const folder = await makeTempFolder('sentinel');
  const stops: (() => Promise<unknown>)[] = [folder.remove];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const startServer = async (name: string, more: string[]) => {
      const settings = {
        dir: path.join(folder.dir, name),
        port: await findLowPort(),
        appendonly: false,
        more,
      };
      const server = await startNativeRedis(settings);
      stops.push(() => server.stop());
      return server;
    };
    const noDelay = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];
    const primary = await startServer('primary', noDelay);
    const replica = await startServer('replica', [
      ...noDelay,
      '--replicaof',
      '127.0.0.1',
      String(primary.port),
    ]);
    const servers = [primary, replica];
    const ports: number[] = [];
    for (let index = 0; index < SENTINELS; index += 1) {
      const port = await findLowPort();
      const sentinel = await startSentinel(path.join(folder.dir, `sentinel-${index}`), port, primary.port);
      stops.push(() => stopChild(sentinel, { withinMs: 1_000 }));
      ports.push(port);
    }
    const clients = ports.map((port) => {
      const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
      client.on('error', () => undefined);
      stops.push(async () => client.disconnect());
      return client;
    });
    const [client = new Redis()] = clients;
    const isKnown = async (one: Redis) => {
      const [row] = (await one.call('SENTINEL', 'MASTERS')) as string[][];
      const fieldOf = (name: string) => row?.[row.indexOf(name) + 1];
      return fieldOf('num-slaves') === '1' && fieldOf('num-other-sentinels') === String(SENTINELS - 1);
    };
    await eventually(
      async () => (await Promise.all(clients.map((one) => isKnown(one).catch(() => false)))).every(Boolean),
      'the Sentinels know each other and the replica',
      { withinMs: 30_000 },
    );
    const primaryPort = async () => {
      const [, port] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[];
      return Number(port);
    };
    return {
      url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
      primaryPort,
      async killPrimary() {
        const port = await primaryPort();
        await servers.find((server) => server.port === port)?.kill();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSentinel(dir: string, port: number, primaryPort: number): Promise<ChildProcess> {
  const server = findRedisServer();
  if (!server) throw new Error('No redis-server or valkey-server on PATH or under .data/tools.');
  await mkdir(dir, { recursive: true });
  // A Sentinel writes its state into its configuration.
  const config = path.join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    // Far shorter than the defaults (30 s, 3 min), to keep the test short.
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  const env = programEnv(server.libraryPath);
  return spawn(server.binary, [config, '--sentinel'], { env, stdio: 'ignore' });
}
