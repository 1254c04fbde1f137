import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { toolsDir, toolsLibraryPath } from './tools-dir.mjs';

/** Folders of servers that are not on every user's PATH. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin'];

/**
 * @param {string[]} names  In order of preference.
 * @returns {{ binary: string, libraryPath?: string } | undefined} The first program that is installed on PATH or in the
 *   folders of servers, else one in .data/tools.
 */
export function findProgram(names) {
  const installed = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const binary = firstExecutable([...installed, ...SERVER_FOLDERS], names);
  if (binary) return { binary };
  const unpacked = firstExecutable(
    ['usr/bin', 'usr/sbin'].map((folder) => path.resolve(toolsDir, folder)),
    names,
  );
  return unpacked ? { binary: unpacked, libraryPath: toolsLibraryPath() } : undefined;
}

/**
 * @param {string[]} folders
 * @param {string[]} names
 */
function firstExecutable(folders, names) {
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(isExecutable);
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
