import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { toolsDir, toolsLibraryPath } from './tools-dir.mjs';

/**
 * @returns {{ binDir: string, libraryPath?: string } | undefined} The folder of initdb and postgres: on PATH, in
 *   Debian's versioned folders, or in .data/tools.
 */
export function findPostgres() {
  const installed = [
    ...(process.env.PATH ?? '').split(path.delimiter),
    ...versionedFolders('/usr/lib/postgresql'),
  ];
  const binDir = installed.find(hasServer);
  if (binDir) return { binDir };
  const unpacked = versionedFolders(path.resolve(toolsDir, 'usr/lib/postgresql')).find(hasServer);
  return unpacked ? { binDir: unpacked, libraryPath: toolsLibraryPath() } : undefined;
}

/** @param {string} folder */
function hasServer(folder) {
  return folder !== '' && ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name)));
}

/**
 * @param {string} parent
 * @returns {string[]} Newest version first.
 */
function versionedFolders(parent) {
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => path.join(parent, version, 'bin'));
}
