import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { dataDir } from '../repo-root.mjs';

/** Debian packages are unpacked here, with the folders they have inside: usr/bin, usr/lib and so on. */
export const toolsDir = path.join(dataDir, 'tools');

/**
 * @returns {string | undefined} The LD_LIBRARY_PATH that unpacked programs need: their libraries are not where
 *   the system's loader looks.
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
