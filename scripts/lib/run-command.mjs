import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { signalGroup, stopChild } from './process-group.mjs';
import { StepError } from './step-error.mjs';

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
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, show?: boolean,
 *   onOutput?: (text: string) => void }} [options] `env`: additional variables. `show` prints the output on the
 *   terminal instead of collecting it. Default: false. `onOutput` receives the output in chunks instead.
 * @returns {Promise<{ code: number, output: string }>} Code 127: not installed.
 *   128: ended by a signal.
 */
export function runCommand(command, args, { env, cwd, show = false, onOutput } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [wrapper, command, ...args], {
      cwd,
      detached: true,
      // Collected output is printed only after a failure, often into a log without colours.
      env: { ...process.env, ...(!show && { NO_COLOR: '1', FORCE_COLOR: undefined }), ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe', 'ipc'],
    });
    running.add(child);
    let output = '';
    const collect = (/** @type {string} */ text) => {
      output += text;
    };
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', onOutput ?? collect);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 128, output });
    });
  });
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
  await Promise.all(
    [...running].map((child) =>
      stopChild(child, {
        withinMs: 1_000,
        request: () => signalGroup(child.pid, 'SIGTERM'),
        kill: () => signalGroup(child.pid, 'SIGKILL'),
      }),
    ),
  );
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
