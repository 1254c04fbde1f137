import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { findFreePort } from '../ports.mjs';
import { childEnded } from '../process-group.mjs';
import { onParentGone, reportReady, wrapperOptions } from './wrapper-channel.mjs';

/**
 * @typedef {object} PostgresOptions
 * @property {string} binDir  Holds initdb and postgres.
 * @property {string} [libraryPath]
 * @property {string} dir  Must be reachable by the user below.
 * @property {number} [port]
 * @property {{ uid: number, gid: number }} [user]  Postgres refuses to run as root.
 */

/** @type {PostgresOptions} */
const options = wrapperOptions();
const data = path.join(options.dir, 'data');
const child = {
  cwd: options.dir,
  env: {
    ...process.env,
    LC_ALL: 'C',
    TZ: 'UTC',
    ...(options.libraryPath && { LD_LIBRARY_PATH: options.libraryPath }),
  },
  ...options.user,
};

createDatabase();
const port = options.port ?? (await findFreePort());
const postgres = spawn(path.join(options.binDir, 'postgres'), serverArguments(), {
  ...child,
  stdio: ['ignore', 'inherit', 'pipe'],
});
onParentGone(async () => {
  // Fast shutdown: open connections are ended, nothing confirmed is lost.
  postgres.kill('SIGINT');
  if (!(await childEnded(postgres, 2_000))) postgres.kill('SIGKILL');
});
postgres.once('exit', () => process.exit(1));
postgres.stderr.on('data', (/** @type {Buffer} */ words) => {
  process.stderr.write(words);
  if (words.includes('ready to accept connections')) {
    reportReady({
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      pid: postgres.pid ?? 0,
      about: 'postgres',
    });
  }
});

function createDatabase() {
  mkdirSync(options.dir, { recursive: true });
  if (options.user) chownSync(options.dir, options.user.uid, options.user.gid);
  if (existsSync(path.join(data, 'PG_VERSION'))) return;
  const { status } = spawnSync(
    path.join(options.binDir, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...child, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status !== 0) process.exit(1);
}

/**
 * Only the disk is spared (`fsync`): a commit still reaches the kernel before it is answered, so killing the
 * process loses nothing that was promised, which is what the drills check.
 */
function serverArguments() {
  return [
    ['-D', data],
    ['-p', String(port)],
    ['-c', 'listen_addresses=127.0.0.1'],
    ['-c', 'unix_socket_directories='],
    ['-c', 'fsync=off'],
    ['-c', 'max_connections=60'],
  ].flat();
}
