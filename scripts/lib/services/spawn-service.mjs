import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { signalGroup, signalProcess, waitForExit } from '../process-group.mjs';
import { StepError } from '../step-error.mjs';

/**
 * A database that runs for us.
 *
 * @typedef {object} Service
 * @property {string} url  What a client connects to.
 * @property {number} port
 * @property {number} pid  The process that serves: signal it to freeze (SIGSTOP) or kill it.
 * @property {string} about  What runs, for the step's line.
 * @property {Promise<void>} ended  Settles when the wrapper is gone, wanted or not.
 * @property {() => Promise<void>} stop  Ends it in good order, by force after three seconds.
 * @property {() => Promise<void>} kill  SIGKILL: what a crash does. Nothing is flushed.
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let closing = false;

/** Ends every service of this process, also those still starting; none starts after that. */
export async function stopServices() {
  closing = true;
  await Promise.all([...running].map(stopGracefully));
}

/** Ends every service at once. */
export function killServices() {
  closing = true;
  for (const child of running) signalGroup(child.pid, 'SIGKILL');
}

export function areServicesClosing() {
  return closing;
}

/**
 * Starts a service under a small Node wrapper that lives in a process group of its own, so that a terminal's
 * Ctrl-C does not reach it before the server has drained. The wrapper ends its service when the IPC channel
 * closes, which the kernel does for us even after a SIGKILL: nothing is ever left behind.
 *
 * Output goes to a file instead of a pipe, because writing into the pipe of a dead parent would end the wrapper
 * before it has ended its service.
 *
 * @param {'redis' | 'valkey' | 'pglite' | 'postgres' | 'nginx'} name
 * @param {Record<string, unknown>} options  Passed to the wrapper as JSON.
 * @param {{ logFile: string, startWithinMs?: number }} settings
 * @returns {Promise<Service>}
 */
export async function spawnService(name, options, { logFile, startWithinMs = 30_000 }) {
  if (closing) throw new StepError(`${name} was not started: everything is ending.`);
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  const wrapper = fileURLToPath(new URL(`./${name}-wrapper.mjs`, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', wrapper, JSON.stringify(options)],
    { detached: true, stdio: ['ignore', log, log, 'ipc'] },
  );
  closeSync(log);
  running.add(child);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once('exit', () => {
      running.delete(child);
      resolve();
    });
  });

  const ready = await firstMessage(child, startWithinMs);
  if (!ready) {
    signalGroup(child.pid, 'SIGKILL');
    const lastLines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
    throw new StepError(`${name} did not start:\n${lastLines || '(it said nothing)'}`, {
      hint: `Its whole output is in ${logFile}`,
    });
  }
  return {
    ...ready,
    ended,
    stop: () => stopGracefully(child),
    async kill() {
      // The service first: its wrapper then sees it end, so that no zombie still answers to its process id.
      signalProcess(ready.pid, 'SIGKILL');
      if (!(await waitForExit(child, 1_000))) signalGroup(child.pid, 'SIGKILL');
      await ended;
    },
  };
}

/** @param {import('node:child_process').ChildProcess} child */
async function stopGracefully(child) {
  if (child.connected) child.disconnect();
  if (await waitForExit(child, 3_000)) return;
  signalGroup(child.pid, 'SIGKILL');
  await waitForExit(child, 1_000);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} withinMs
 * @returns {Promise<{ url: string, port: number, pid: number, about: string } | undefined>}
 */
function firstMessage(child, withinMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), withinMs);
    const settle = (/** @type {any} */ message) => {
      clearTimeout(timer);
      resolve(message);
    };
    child.once('message', settle);
    child.once('error', () => settle(undefined));
    child.once('exit', () => settle(undefined));
  });
}
