import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { dataDir } from '../repo-root.mjs';

/** The folder of unpacked Debian packages, with their own folders: usr/bin, usr/lib and so on. */
export const toolsDir = path.join(dataDir, 'tools');

/**
 * Returns the environment of a program: that of this process, with the libraries of an unpacked program.
 *
 * @param {string | undefined} libraryPath
 * @returns {NodeJS.ProcessEnv}
 */
export function programEnv(libraryPath) {
  return { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
}

/**
 * @returns {string | undefined} The LD_LIBRARY_PATH of unpacked programs, whose libraries are not in the folders
 *   of the system.
 */
export function toolsLibraryPath() {
  const parents = [path.resolve(toolsDir, 'usr/lib'), path.resolve(toolsDir, 'lib')].filter(existsSync);
  const folders = parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.includes('-linux-'))
      .map((name) => path.join(parent, name)),
  );
  return folders.length > 0 ? folders.join(path.delimiter) : undefined;
}
