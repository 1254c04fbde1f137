import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { dataDir } from './steps.mjs';

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

/** @typedef {{ binary: string, libraryPath?: string }} Program  `libraryPath`: of a program in .data/tools. */

/** Folders of servers that are not on every user's PATH. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin'];

/**
 * @param {string[]} names  In order of preference.
 * @returns {Program | undefined} The first program that is installed on PATH or in the folders of servers, else one in
 *   .data/tools.
 */
function findProgram(names) {
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

export const findRedisServer = () => findProgram(['redis-server', 'valkey-server']);

/** Finds Prometheus's checker of rules and metrics. */
export const findPromtool = () => findProgram(['promtool']);

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

/**
 * @returns {(Program & { mimeTypes: string }) | undefined} nginx and its list of MIME types: of this system, else from
 *   .data/tools, where `npm test` unpacks it.
 */
export function findNginx() {
  const program = findProgram(['nginx']);
  if (!program) return undefined;
  const lists = ['/etc/nginx/mime.types', path.resolve(toolsDir, 'etc/nginx/mime.types')];
  const mimeTypes = lists.find((file) => existsSync(file));
  return mimeTypes === undefined ? undefined : { ...program, mimeTypes };
}

/**
 * Finds a browser of this system: `CHROMIUM_PATH`, else the first of these names in /usr/bin.
 *
 * @param {string[]} [names]  Default: the whole browser before the headless shell.
 * @returns {string | undefined} Undefined makes Playwright use its own browser.
 */
export function findChromium(names = ['chromium', 'chromium-browser', 'chromium-headless-shell']) {
  const files = names.map((name) => path.join('/usr/bin', name));
  return process.env.CHROMIUM_PATH || files.find((file) => existsSync(file));
}

/**
 * The arguments with which every script starts Chromium. Its sandbox refuses to run as root.
 *
 * @type {string[]}
 */
export const chromiumArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Finds a browser for the end-to-end tests: the headless shell before the whole browser. */
export function findTestChromium() {
  return findChromium(['chromium-headless-shell', 'chromium', 'chromium-browser']);
}
