import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { toolsDir, toolsLibraryPath } from './tools-dir.mjs';

/**
 * @returns {{ binary: string, libraryPath?: string } | undefined} A native server: from PATH, else unpacked by
 *   `npm test` into .data/tools.
 */
export function findRedisServer() {
  const names = ['redis-server', 'valkey-server'];
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  for (const folder of onPath) {
    const found = names.map((name) => path.join(folder, name)).find(isExecutable);
    if (found) return { binary: found };
  }
  const unpacked = names.map((name) => path.resolve(toolsDir, 'usr/bin', name)).find(isExecutable);
  return unpacked ? { binary: unpacked, libraryPath: toolsLibraryPath() } : undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
