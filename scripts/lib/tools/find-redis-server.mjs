import { findProgram } from './find-program.mjs';

/**
 * @returns {{ binary: string, libraryPath?: string } | undefined} A native server on PATH, else in
 *   .data/tools.
 */
export function findRedisServer() {
  return findProgram(['redis-server', 'valkey-server']);
}
