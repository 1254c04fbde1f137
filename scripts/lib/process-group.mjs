import { hasCode } from './has-code.mjs';

/**
 * Signals the process group of a child that was spawned `detached`.
 *
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(pid, signal) {
  if (pid) signalProcess(-pid, signal);
}

/**
 * Signals one process. A process that has already ended is not an error.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/**
 * Waits for a child to exit. Resolves with false after the timeout.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} withinMs
 * @returns {Promise<boolean>}
 */
export function waitForExit(child, withinMs) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), withinMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
