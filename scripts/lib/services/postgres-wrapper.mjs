import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../ports.mjs';
import { waitForExit } from '../process-group.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './wrapper-channel.mjs';

/**
 * @typedef {object} PostgresOptions
 * @property {string} binDir  Holds initdb and postgres.
 * @property {string} [libraryPath]
 * @property {string} dir  Must be reachable by the user below.
 * @property {number} [port]
 * @property {boolean} [flushes]  Whether a commit waits for the disk. Default: false.
 * @property {{ uid: number, gid: number }} [user]  Postgres refuses to run as root.
 */

/** @type {PostgresOptions} */
const options = readWrapperOptions();
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
/** @type {import('node:child_process').ChildProcess | undefined} */
let postgres;
onParentGone(async () => {
  // Fast shutdown: open connections are ended, nothing confirmed is lost.
  postgres?.kill('SIGINT');
  if (postgres && !(await waitForExit(postgres, 2_000))) postgres.kill('SIGKILL');
});
// The workers of a server that was just killed need a moment to notice; until then a new one refuses to start.
for (let attempt = 1; attempt <= 10; attempt += 1) {
  await runServer();
  await sleep(200);
}
process.exit(1);

/** @returns {Promise<void>} Resolves when it ended before it was ready; one that ends later ends the wrapper. */
function runServer() {
  return new Promise((resolve) => {
    const server = spawn(path.join(options.binDir, 'postgres'), serverArguments(), {
      ...child,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    postgres = server;
    let isReady = false;
    server.once('exit', () => (isReady ? process.exit(1) : resolve()));
    server.stderr.on('data', (/** @type {Buffer} */ words) => {
      process.stderr.write(words);
      if (isReady || !words.includes('ready to accept connections')) return;
      isReady = true;
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      reportReady({ url, port, pid: server.pid ?? 0, about: 'postgres' });
    });
  });
}

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
 * Unless it is asked for, the disk is spared (`fsync`): a commit still reaches the kernel before it is answered, so killing the
 * process loses nothing that was promised, which is what the drills check.
 */
function serverArguments() {
  return [
    ['-D', data],
    ['-p', String(port)],
    ['-c', 'listen_addresses=127.0.0.1'],
    ['-c', 'unix_socket_directories='],
    ['-c', `fsync=${options.flushes ? 'on' : 'off'}`],
    ['-c', 'max_connections=60'],
  ].flat();
}
