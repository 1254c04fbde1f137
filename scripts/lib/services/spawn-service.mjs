import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signalGroup, signalProcess, stopChild, waitForExit } from '../processes.mjs';
import { StepError } from '../steps.mjs';

/**
 * A service that this process has started.
 *
 * @typedef {object} Service
 * @property {string} url  The address for clients.
 * @property {number} port
 * @property {number} pid  The process of the service itself. Signal it to freeze (SIGSTOP) or kill it.
 * @property {string} about  The description for the line of the step.
 * @property {Promise<void>} ended  Resolves when the wrapper has exited for any reason.
 * @property {() => Promise<void>} stop  Stops it gracefully, and kills it after three seconds.
 * @property {() => Promise<void>} kill  Sends SIGKILL, as in a crash. Nothing is flushed.
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let isClosing = false;
const here = new URL('.', import.meta.url);
/** The log files of all services that this process has started. */
const logFiles = new Set();

/** Stops all services of this process, also starting ones. No service can start afterwards. */
export async function stopServices() {
  isClosing = true;
  await Promise.all([...running].map(stopGracefully));
}

/** Kills all services. */
export function killServices() {
  isClosing = true;
  for (const child of running) signalGroup(child.pid, 'SIGKILL');
}

export function areServicesClosing() {
  return isClosing;
}

/**
 * Starts a service under a small Node wrapper with its own process group, so that a Ctrl-C of the terminal does not reach
 * it before the server has drained. The wrapper stops its service when the IPC channel closes, which the kernel ensures
 * even after a SIGKILL.
 *
 * Output goes to a file: writing into the pipe of a dead parent would end the wrapper before it has stopped its service.
 *
 * @param {string} name
 * @param {Record<string, unknown>} options  Passed to the wrapper as JSON.
 * @param {{ logFile: string, startWithinMs?: number, folder?: URL }} settings  `folder`: that of NAME-wrapper.mjs.
 *   Default: this one.
 * @returns {Promise<Service>}
 */
export async function spawnService(name, options, { logFile, startWithinMs = 30_000, folder = here }) {
  if (isClosing) throw new StepError(`${name} was not started: all services are stopping.`);
  mkdirSync(path.dirname(logFile), { recursive: true });
  // A restart keeps the output of the crash before it.
  const log = openSync(logFile, logFiles.has(logFile) ? 'a' : 'w');
  logFiles.add(logFile);
  const wrapper = fileURLToPath(new URL(`${name}-wrapper.mjs`, folder));
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
    throw new StepError(`${name} did not start:\n${lastLines || '(no output)'}`, {
      hint: `The whole output is in ${logFile}`,
    });
  }
  return {
    ...ready,
    ended,
    stop: () => stopGracefully(child),
    async kill() {
      // Kill the service first: its wrapper then reaps it, so that no zombie keeps its process id.
      signalProcess(ready.pid, 'SIGKILL');
      if (!(await waitForExit(child, 1_000))) signalGroup(child.pid, 'SIGKILL');
      await ended;
    },
  };
}

/** @param {import('node:child_process').ChildProcess} child */
function stopGracefully(child) {
  return stopChild(child, {
    withinMs: 3_000,
    request: () => child.connected && child.disconnect(),
    kill: () => signalGroup(child.pid, 'SIGKILL'),
  });
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

/**
 * Starts a service and restarts it on the same port whenever it exits unexpectedly. The clients of the server reconnect
 * by themselves, so a crashed database costs a few failed calls and no restart of the server.
 *
 * @param {string} name
 * @param {(port?: number) => Promise<Service>} start
 * @returns {Promise<{ url: string, about: string }>}
 */
export async function keepServiceRunning(name, start) {
  const first = await start();
  void keepRunning(first);
  return { url: first.url, about: first.about };

  /** @param {Service} service */
  async function keepRunning(service) {
    await service.ended;
    while (!areServicesClosing()) {
      console.error(`${name} exited unexpectedly, restarting it on port ${first.port}`);
      try {
        return void keepRunning(await start(first.port));
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        await sleep(1_000);
      }
    }
  }
}

/**
 * Returns the options that `spawnService` passes as the only argument.
 *
 * @template T
 * @returns {T}
 */
export function readWrapperOptions() {
  return JSON.parse(process.argv[2] ?? '{}');
}

/**
 * Reports to the parent that the service is ready.
 *
 * @param {{ url: string, port: number, pid: number, about: string }} ready
 */
export function reportReady(ready) {
  // An error means that the parent has just exited, which `onParentGone` also detects.
  process.send?.(ready, () => undefined);
}

/**
 * Runs `end` once when the parent requests a stop or has exited, then exits, after 2.5 seconds at the latest. It ignores
 * terminal signals, because the parent stops the server before its databases.
 *
 * @param {() => Promise<void> | void} end
 */
export function onParentGone(end) {
  let isStopping = false;
  const finish = async () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), 2_500).unref();
    await end();
    process.exit(0);
  };
  process.on('disconnect', finish);
  process.on('SIGTERM', finish);
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  if (!process.connected) void finish();
}
