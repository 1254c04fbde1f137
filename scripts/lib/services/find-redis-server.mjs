import { findProgram } from './find-program.mjs';

/**
 * @returns {{ binary: string, libraryPath?: string } | undefined} A native server: from PATH, else unpacked by
 *   `npm test` into .data/tools.
 */
export function findRedisServer() {
  return findProgram(['redis-server', 'valkey-server']);
}
