import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../ports.mjs';
import { waitForExit } from '../process-group.mjs';
import { sendRedisCommand } from './send-redis-command.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './wrapper-channel.mjs';

/**
 * @typedef {object} RedisOptions
 * @property {string} binary  A redis-server or valkey-server.
 * @property {string} about
 * @property {string} [libraryPath]  Where its shared libraries were unpacked.
 * @property {string} dir  Its data and its private socket.
 * @property {number} [port]  Default: a free one.
 * @property {boolean} appendonly
 * @property {boolean} restart  Whether to start it again, on the same port, when it dies unasked.
 * @property {string[]} [more]  Further arguments.
 */

/** @type {RedisOptions} */
const options = readWrapperOptions();
mkdirSync(options.dir, { recursive: true });
process.chdir(options.dir);

/** @type {import('node:child_process').ChildProcess | undefined} */
let redis;
let ending = false;

onParentGone(async () => {
  ending = true;
  if (!redis) return;
  redis.kill('SIGTERM');
  if (await waitForExit(redis, 1_500)) return;
  redis.kill('SIGKILL');
  await waitForExit(redis, 500);
});

await stopOrphan();
let port = options.port ?? (await findFreePort());
redis = await startFirst();
report(redis);
if (options.restart) void keepRunning();
else redis.once('exit', () => process.exit(1));

/** @param {import('node:child_process').ChildProcess} server */
function report(server) {
  reportReady({ url: `redis://127.0.0.1:${port}`, port, pid: server.pid ?? 0, about: options.about });
}

/**
 * A Redis whose wrapper was killed still holds the append-only file. It answers on the private socket of its
 * folder, so it can be told to go before a second one writes into the same file.
 */
async function stopOrphan() {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if ((await sendRedisCommand({ path: 'redis.sock' }, 'PING')) === undefined) return;
    await sendRedisCommand({ path: 'redis.sock' }, 'SHUTDOWN');
    await sleep(100);
  }
}

/**
 * The first start may meet a port that was taken meanwhile, or a file that this version cannot read: another
 * Redis may have written it, or a full disk cut it. Redis is the gate and not the ledger, so unreadable data is
 * put aside instead of stopping the start.
 */
async function startFirst() {
  const first = await start();
  if (first) return first;
  if (options.port === undefined) port = await findFreePort();
  const second = await start();
  if (second) return second;
  if (!options.appendonly || ending || !existsSync('appendonlydir')) return giveUp();
  const aside = `appendonlydir.unreadable-${Date.now()}`;
  renameSync('appendonlydir', aside);
  console.error(`redis does not start on its data, which is now in ${aside}`);
  return (await start()) ?? giveUp();
}

/** @returns {Promise<never>} The wrapper exits; when it is ending anyway, once Redis has ended. */
function giveUp() {
  if (!ending) process.exit(1);
  return new Promise(() => undefined);
}

async function keepRunning() {
  while (!ending) {
    const server = redis;
    if (server) await new Promise((resolve) => server.once('exit', resolve));
    if (ending) return;
    console.error('redis ended unasked, starting it again on the same port');
    await sleep(200);
    redis = (await start()) ?? redis;
    if (redis?.exitCode !== null) await sleep(1_000);
  }
}

/** @returns {Promise<import('node:child_process').ChildProcess | undefined>} Undefined when it gave up. */
async function start() {
  if (ending) return undefined;
  const server = spawn(options.binary, serverArguments(), {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...(options.libraryPath && { LD_LIBRARY_PATH: options.libraryPath }) },
  });
  let hasExited = false;
  server.once('error', (error) => {
    // The program itself cannot be run: no second try, and its data is not to blame.
    console.error(error.message);
    process.exit(1);
  });
  server.once('exit', () => {
    hasExited = true;
  });
  redis = server;
  while (!hasExited && !ending) {
    if ((await sendRedisCommand({ path: 'redis.sock' }, 'PING')) === '+PONG') return server;
    await sleep(20);
  }
  return undefined;
}

function serverArguments() {
  return [
    ['--port', String(port)],
    ['--bind', '127.0.0.1'],
    ['--unixsocket', 'redis.sock'],
    ['--dir', '.'],
    ['--save', ''],
    ['--appendonly', options.appendonly ? 'yes' : 'no'],
    ['--daemonize', 'no'],
    options.more ?? [],
  ].flat();
}
