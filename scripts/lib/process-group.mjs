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
 * Stops a child: sends a request to end, and kills the child if it is still running after `withinMs`. Resolves when it
 * has exited, or one second after the kill.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {{ withinMs: number, request?: () => void, kill?: () => void }} options  Default: SIGTERM, then SIGKILL.
 */
export async function stopChild(
  child,
  { withinMs, request = () => child.kill(), kill = () => child.kill('SIGKILL') },
) {
  request();
  if (await waitForExit(child, withinMs)) return;
  kill();
  await waitForExit(child, 1_000);
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
