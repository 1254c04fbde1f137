import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, isPortFree } from '../ports.mjs';
import { stopChild } from '../processes.mjs';
import { programEnv } from '../tools.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './spawn-service.mjs';

/**
 * @typedef {object} RedisOptions
 * @property {string} binary  A redis-server or valkey-server.
 * @property {string} about
 * @property {string} [libraryPath]  The folder of its unpacked shared libraries.
 * @property {string} dir  The folder of its data and its private socket.
 * @property {number} [port]  Default: a free one.
 * @property {boolean} appendonly
 * @property {string[]} [more]  Further arguments.
 */

/** @type {RedisOptions} */
const options = readWrapperOptions();
mkdirSync(options.dir, { recursive: true });
process.chdir(options.dir);

/** @type {import('node:child_process').ChildProcess | undefined} */
let redis;
let isStopping = false;

onParentGone(async () => {
  isStopping = true;
  if (redis) await stopChild(redis, { withinMs: 1_500 });
});

await stopOrphan();
let port = options.port ?? (await findFreePort());
redis = await startFirst();
redis.once('exit', () => {
  if (!isStopping) process.exit(1);
});
reportReady({ url: `redis://127.0.0.1:${port}`, port, pid: redis.pid ?? 0, about: options.about });

/**
 * Stops a Redis whose wrapper was killed, before a second one writes into the same append-only file. It is reachable on
 * the private socket of its folder.
 */
async function stopOrphan() {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if ((await sendRedisCommand('PING')) === undefined) return;
    await sendRedisCommand('SHUTDOWN');
    await sleep(100);
  }
}

/**
 * Starts Redis. It retries with another port if the port was taken, and without the data if the file is unreadable: another
 * version may have written it, or a full disk truncated it. Redis is the gate and not the ledger, so unreadable data is
 * moved aside.
 */
async function startFirst() {
  const first = await start();
  if (first) return first;
  if (options.port === undefined) port = await findFreePort();
  const second = await start();
  if (second) return second;
  const isPortBusy = !(await isPortFree(port, '127.0.0.1'));
  if (!options.appendonly || isStopping || isPortBusy || !existsSync('appendonlydir')) return giveUp();
  const aside = `appendonlydir.unreadable-${Date.now()}`;
  renameSync('appendonlydir', aside);
  console.error(`redis does not start on its data, which is now in ${aside}`);
  return (await start()) ?? giveUp();
}

/** @returns {Promise<never>} Exits the wrapper. While it is stopping, it exits after Redis. */
function giveUp() {
  if (!isStopping) process.exit(1);
  return new Promise(() => undefined);
}

/** @returns {Promise<import('node:child_process').ChildProcess | undefined>} Undefined if it exited. */
async function start() {
  if (isStopping) return undefined;
  const server = spawn(options.binary, serverArguments(), {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: programEnv(options.libraryPath),
  });
  let hasExited = false;
  server.once('error', (error) => {
    // The program cannot be executed: a retry or other data does not help.
    console.error(error.message);
    process.exit(1);
  });
  server.once('exit', () => {
    hasExited = true;
  });
  redis = server;
  while (!hasExited && !isStopping) {
    if ((await sendRedisCommand('PING')) === '+PONG') return server;
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

/**
 * Sends one inline command to the Redis of this folder and returns the first line of its reply. It needs no client library.
 *
 * @param {string} command
 * @returns {Promise<string | undefined>} Undefined without a reply within a second.
 */
function sendRedisCommand(command) {
  return new Promise((resolve) => {
    const socket = net.connect('redis.sock', () => socket.write(`${command}\r\n`));
    const settle = (/** @type {string | undefined} */ answer) => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(1_000, () => settle(undefined));
    socket.once('data', (data) => settle(data.toString('utf8').split('\r\n')[0]));
    socket.once('error', () => settle(undefined));
    socket.once('close', () => settle(undefined));
  });
}
