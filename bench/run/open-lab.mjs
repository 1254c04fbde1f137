import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedRedis, startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { findRedisServer } from '../../scripts/lib/tools.mjs';
import { connect } from '../contenders/connect.mjs';

/**
 * @param {import('ioredis').Redis} client
 * @returns {Promise<number>}
 */
async function measureBytes(client) {
  let bytes = 0;
  for await (const found of client.scanStream({ count: 1_000 })) {
    const pipeline = client.pipeline();
    for (const key of found) pipeline.memory('USAGE', key, 'SAMPLES', 0);
    for (const [error, size] of (await pipeline.exec()) ?? []) {
      if (error) throw error;
      bytes += Number(size);
    }
  }
  return bytes;
}

/**
 * Opens the environment of one run: a separate Redis without persistence, a folder, and the cleanup of everything started.
 *
 * @param {import('./figure').Size} size
 */
export async function openLab(size) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-bench-'));
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  const endFigure = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  const dir = path.join(folder, 'redis');
  const redis = findRedisServer()
    ? await startNativeRedis({ dir, appendonly: false })
    : await startEmbeddedRedis({ dir });
  const { client, stop } = await connect(redis.url);
  const field = async (/** @type {string} */ section, /** @type {string} */ name) => {
    const [, value] = (await client.info(section)).match(new RegExp(`^${name}:(.+?)\\r?$`, 'm')) ?? [];
    return value ?? '';
  };
  const about = `${redis.about.split(',')[0]} ${await field('server', 'redis_version')}`;

  return {
    about,
    endFigure,
    /** @type {(note: (text: string) => void) => import('./figure').Lab} */
    forFigure: (note) => ({
      size,
      folder,
      note,
      redisUrl: redis.url,
      onEnd: (stopOne) => stops.push(stopOne),
      empty: async () => void (await client.flushall('SYNC')),
      measureBytes: () => measureBytes(client),
      redisCpuUs: async () =>
        (Number(await field('cpu', 'used_cpu_user')) + Number(await field('cpu', 'used_cpu_sys'))) * 1e6,
    }),
    async close() {
      await endFigure();
      await stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
