import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopChild } from '../../scripts/lib/processes.mjs';
import { onParentGone, readWrapperOptions, reportReady } from '../../scripts/lib/services/spawn-service.mjs';
import { programEnv } from '../../scripts/lib/tools.mjs';

/**
 * @typedef {object} NginxOptions
 * @property {string} binary
 * @property {string} [libraryPath]
 * @property {string[]} args
 * @property {number} port
 */

/** @type {NginxOptions} */
const options = readWrapperOptions();
const url = `http://127.0.0.1:${options.port}`;
let isStopping = false;
const nginx = spawn(options.binary, options.args, {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: programEnv(options.libraryPath),
});
// The workers of a killed master continue to serve, so the whole process group is killed. In a container they end with it.
nginx.once('exit', () => {
  if (!isStopping) process.kill(0, 'SIGKILL');
});
nginx.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
onParentGone(async () => {
  isStopping = true;
  await stopChild(nginx, { withinMs: 2_000, kill: () => process.kill(0, 'SIGKILL') });
});
while (!(await isAnswering())) await sleep(20);
reportReady({ url, port: options.port, pid: nginx.pid ?? 0, about: 'nginx' });

async function isAnswering() {
  try {
    return (await fetch(`${url}/nginx-health`)).ok;
  } catch {
    // nginx does not listen yet. `spawnService` limits the wait.
    return false;
  }
}
