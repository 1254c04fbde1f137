import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startServer } from './lifetime.mjs';
import { findFreePort } from './ports.mjs';
import { startAnyRedis, startPgliteService } from './services/start-services.mjs';

/**
 * Runs the built app in demo mode, on empty databases and free ports, while `use` runs. The app and its databases also
 * end when the script is killed.
 *
 * @template T
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withRunningApp(use) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-app-'));
  /** @type {(() => Promise<void>)[]} */
  const stops = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  try {
    const redis = await startAnyRedis({ dir: path.join(folder, 'redis') });
    stops.unshift(redis.stop);
    const postgres = await startPgliteService({ dir: path.join(folder, 'pglite') });
    stops.unshift(postgres.stop);
    const server = await startServer(
      ['--enable-source-maps', 'dist/main.js'],
      {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(await findFreePort()),
        LOG_LEVEL: 'warn',
        SESSION_SECRETS: 'only-for-one-script-only-for-one-script-only-for-one-script',
        FLOODGATE_DEMO: '1',
        FLOODGATE_PGLITE: '1',
        REDIS_URL: redis.url,
        DATABASE_URL: postgres.url,
      },
      { onStep: () => undefined, onSpawn: () => undefined },
    );
    stops.unshift(server.stop);
    return await use(server.url);
  } finally {
    for (const stop of stops) await stop();
  }
}
