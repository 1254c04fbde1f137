import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { stopChild } from '../../scripts/lib/processes.mjs';
import { onParentGone, readWrapperOptions, reportReady } from '../../scripts/lib/services/spawn-service.mjs';
import { programEnv } from '../../scripts/lib/tools.mjs';

/**
 * @typedef {object} PostgresOptions
 * @property {string} binDir  The folder of initdb and postgres.
 * @property {string} [libraryPath]
 * @property {string} dir  Must be accessible to `user`.
 * @property {number} [port]
 * @property {boolean} [flushes]  True makes each commit wait for the disk. Default: false.
 * @property {{ uid: number, gid: number }} [user]  The user of the server, because Postgres refuses to run as root.
 */

/** @type {PostgresOptions} */
const options = readWrapperOptions();
const data = path.join(options.dir, 'data');
const child = {
  cwd: options.dir,
  env: { ...programEnv(options.libraryPath), LC_ALL: 'C', TZ: 'UTC' },
  ...options.user,
};

createDatabase();
const port = options.port ?? (await findFreePort());
/** @type {import('node:child_process').ChildProcess | undefined} */
let postgres;
onParentGone(async () => {
  const server = postgres;
  // SIGINT is the fast shutdown: it closes connections and keeps all commits.
  if (server) await stopChild(server, { withinMs: 2_000, request: () => server.kill('SIGINT') });
});
// A new server refuses to start until the workers of a killed one have exited.
for (let attempt = 1; attempt <= 10; attempt += 1) {
  await runServer();
  await sleep(200);
}
process.exit(1);

/** @returns {Promise<void>} Resolves when the server exits before it is ready. A later exit ends the wrapper. */
function runServer() {
  return new Promise((resolve) => {
    const server = spawn(path.join(options.binDir, 'postgres'), serverArguments(), {
      ...child,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    postgres = server;
    let isReady = false;
    server.once('exit', () => (isReady ? process.exit(1) : resolve()));
    server.stderr.on('data', (/** @type {Buffer} */ output) => {
      process.stderr.write(output);
      if (isReady || !output.includes('ready to accept connections')) return;
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
 * Returns the arguments of the server. By default, `fsync` is off: a commit reaches the kernel before its reply, so a
 * killed process loses no commit, which is enough for the drills.
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
