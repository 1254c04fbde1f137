import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForExit } from '../process-group.mjs';
import { nginxArguments } from './nginx-conf.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './wrapper-channel.mjs';

/**
 * @typedef {object} NginxOptions
 * @property {string} binary
 * @property {string} [libraryPath]
 * @property {string} conf  A fitted file.
 * @property {number} port
 */

/** @type {NginxOptions} */
const options = readWrapperOptions();
const url = `http://127.0.0.1:${options.port}`;
let ending = false;
const nginx = spawn(options.binary, nginxArguments(options.conf), {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...(options.libraryPath && { LD_LIBRARY_PATH: options.libraryPath }) },
});
// The workers of a master that was killed go on answering. In a container they end with it, and here with this group.
nginx.once('exit', () => {
  if (!ending) process.kill(0, 'SIGKILL');
});
nginx.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
onParentGone(async () => {
  ending = true;
  nginx.kill('SIGTERM');
  if (!(await waitForExit(nginx, 2_000))) process.kill(0, 'SIGKILL');
});
while (!(await answers())) await sleep(20);
reportReady({ url, port: options.port, pid: nginx.pid ?? 0, about: 'nginx' });

async function answers() {
  try {
    return (await fetch(`${url}/nginx-health`)).ok;
  } catch {
    // Not yet. The starter bounds the wait.
    return false;
  }
}
