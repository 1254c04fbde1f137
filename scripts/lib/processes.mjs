import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hasCode } from './files.mjs';
import { StepError } from './steps.mjs';

const wrapper = fileURLToPath(new URL('./command-wrapper.mjs', import.meta.url));

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * Runs a command and collects its stdout and stderr in order.
 *
 * The command has its own process group, so that a Ctrl-C of the terminal reaches only this script. `stopCommands` ends
 * the group with the child processes of npm and Next. If this script is killed, `command-wrapper.mjs` ends the group.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, show?: boolean }} [options] `env`: additional
 *   variables. `show` prints the output on the terminal instead of collecting it. Default: false.
 * @returns {Promise<{ code: number, output: string }>} Code 127: not installed.
 *   128: ended by a signal.
 */
export function runCommand(command, args, options) {
  return startCommand(command, args, options).ended;
}

/**
 * Starts a command as `runCommand` runs one, for a server that must be stopped.
 *
 * @param {Parameters<typeof runCommand>[0]} command
 * @param {Parameters<typeof runCommand>[1]} args
 * @param {Parameters<typeof runCommand>[2]} [options]
 * @returns {{ ended: ReturnType<typeof runCommand>, output: () => string, stop: () => Promise<void> }}  `output`: what it
 *   has written so far. `stop` sends SIGTERM to its group, and SIGKILL after one second.
 */
export function startCommand(command, args, { env, cwd, show = false } = {}) {
  const child = spawn(process.execPath, [wrapper, command, ...args], {
    cwd,
    detached: true,
    // Collected output is printed only after a failure, often into a log without colours.
    env: { ...process.env, ...(!show && { NO_COLOR: '1', FORCE_COLOR: undefined }), ...env },
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe', 'ipc'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
    });
  }
  /** @type {ReturnType<typeof runCommand>} */
  const ended = new Promise((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 128, output });
    });
  });
  return { ended, output: () => output, stop: () => stopGroup(child) };
}

/**
 * Runs a command and returns its output. Throws a `StepError` with its last lines of output if it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, problem?: string, hint?: string }} [options]  `problem`:
 *   the first line of the error. `hint`: its last line.
 */
export async function runOrThrow(command, args, { problem, hint, ...options } = {}) {
  const { code, output } = await runCommand(command, args, options);
  if (code === 0) return output;
  throw new StepError([problem, tail(output, 60)].filter(Boolean).join('\n'), { hint });
}

/** Stops all running commands: sends SIGTERM, and SIGKILL after one second. */
export async function stopCommands() {
  await Promise.all([...running].map(stopGroup));
}

/** @param {import('node:child_process').ChildProcess} child */
function stopGroup(child) {
  return stopChild(child, {
    withinMs: 1_000,
    request: () => signalGroup(child.pid, 'SIGTERM'),
    kill: () => signalGroup(child.pid, 'SIGKILL'),
  });
}

/**
 * Returns the last lines of an output, which usually contain the reason of a failure.
 *
 * @param {string} output
 * @param {number} [lines]
 */
export function tail(output, lines = 40) {
  return output.trimEnd().split('\n').slice(-lines).join('\n');
}

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
