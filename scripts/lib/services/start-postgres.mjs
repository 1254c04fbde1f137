import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasCode } from '../has-code.mjs';
import { StepError } from '../step-error.mjs';
import { findPostgres } from '../tools/find-postgres.mjs';
import { toolsDir } from '../tools/tools-dir.mjs';
import { spawnService } from './spawn-service.mjs';
import { findUnprivilegedUser } from './unprivileged-user.mjs';

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
