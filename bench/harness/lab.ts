import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { startEmbeddedRedis, startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { findRedisServer } from '../../scripts/lib/tools.mjs';
import { connect } from '../contenders/contender';
import { type BenchProcess, startProcess } from './process';
import type { Goal } from './report';
import type { Tasks } from './tasks';

/** The amount of measurement: for the docs, or only to test that a figure runs. */
export type Size = 'full' | 'smoke';

/** One part of the benchmark. */
export interface Figure {
  /** The name for `--only`. */
  name: string;
  /** Number of cores that it keeps busy. */
  ownLoad: number;
  measure(lab: Lab): Promise<Finding>;
}

/** The result of a figure. */
export interface Finding {
  /** The tables for the section of docs/benchmarks.md, which describes the method. */
  text: string;
  goals: readonly Goal[];
}

/** The environment of a figure. */
export interface Lab {
  size: Size;
  /** The URL of the run's Redis. */
  redisUrl: string;
  /** Deletes everything in Redis. */
  empty(): Promise<void>;
  /** Returns the CPU time of Redis so far, in µs. */
  redisCpuUs(): Promise<number>;
  /** Returns the memory (`MEMORY USAGE`) of the keys of a pattern. Default: of all. */
  measureBytes(pattern?: string): Promise<number>;
  /** Shows the progress. */
  note(text: string): void;
  /** A folder that is deleted at the end of the run. */
  folder: string;
  /** Starts a process as `startProcess` does, and stops it at the end of the figure. */
  start<T extends Tasks, About = unknown>(
    ...process: Parameters<typeof startProcess>
  ): Promise<BenchProcess<T, About>>;
  /** Registers a cleanup for the end of the figure. The newest runs first. */
  onEnd(stop: () => Promise<void>): void;
}

/** The environment of one run: a separate Redis without persistence, a folder, and the cleanup of everything started. */
export interface Run {
  /** The name and version of Redis. */
  redis: string;
  /** Measures a figure, and stops everything that it started. `note` shows its progress. */
  measure(figure: Figure, note: (text: string) => void): Promise<Finding>;
  close(): Promise<void>;
}

/** Opens the environment of a run. */
export async function openRun(size: Size): Promise<Run> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-bench-'));
  const dir = path.join(folder, 'redis');
  const redis = findRedisServer()
    ? await startNativeRedis({ dir, appendonly: false })
    : await startEmbeddedRedis({ dir });
  const { client, stop } = await connect(redis.url);
  return {
    redis: `${redis.about.split(',')[0]} ${readInfo(await client.info('server'), 'redis_version')}`,
    async measure(figure, note) {
      const stops: (() => Promise<void>)[] = [];
      const lab: Lab = {
        size,
        folder,
        note: (text) => note(`${figure.name}, ${text}`),
        redisUrl: redis.url,
        onEnd: (stopOne) => void stops.push(stopOne),
        async start<T extends Tasks, About>(...options: Parameters<typeof startProcess>) {
          const started = await startProcess<T, About>(...options);
          stops.push(started.stop);
          return started;
        },
        empty: async () => void (await client.flushall('SYNC')),
        measureBytes: (pattern = '*') => measureBytes(client, pattern),
        redisCpuUs: () => readCpuUs(client),
      };
      try {
        return await figure.measure(lab);
      } finally {
        for (const stopOne of stops.toReversed()) await stopOne();
      }
    },
    async close() {
      await stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Returns the CPU time of a Redis so far, in µs. */
export async function readCpuUs(client: Redis): Promise<number> {
  const info = await client.info('cpu');
  return (Number(readInfo(info, 'used_cpu_user')) + Number(readInfo(info, 'used_cpu_sys'))) * 1e6;
}

function readInfo(info: string, name: string): string {
  return info.match(new RegExp(`^${name}:(.+?)\\r?$`, 'm'))?.[1] ?? '';
}

async function measureBytes(client: Redis, match: string): Promise<number> {
  let bytes = 0;
  for await (const found of client.scanStream({ match, count: 1_000 })) {
    const pipeline = client.pipeline();
    for (const key of found) pipeline.memory('USAGE', key, 'SAMPLES', 0);
    for (const [error, size] of (await pipeline.exec()) ?? []) {
      if (error) throw error;
      bytes += Number(size);
    }
  }
  return bytes;
}
