import { spawn } from 'node:child_process';
import { signalGroup, stopChild } from '../process-group.mjs';
import { StepError } from '../step-error.mjs';

/** The server drains within this time. Then it is killed. */
const DRAIN_MS = 4_000;

/**
 * @typedef {{ type: 'step', name: string, ms: number } | { type: 'notice', text: string }
 *   | { type: 'listening', url: string }} ServerMessage
 *
 * @typedef {object} ServerProcess
 * @property {string} url
 * @property {Promise<void>} ended
 * @property {() => Promise<void>} stop
 * @property {() => void} kill
 */

/**
 * Starts the server and waits until it listens. It has its own process group and exits when its IPC channel closes, so
 * that a SIGKILL of this script also ends it. The server itself prints the reason of a failed start.
 *
 * @param {string[]} args  The arguments of Node.
 * @param {Record<string, string | undefined>} env
 * @param {{ onStep: (name: string, ms: number) => void, onSpawn: (server: Pick<ServerProcess, 'stop' | 'kill'>)
 *   => void, output?: number, cwd?: string }} hooks  `onSpawn` is called before the server listens, so that a stop
 *   can end it while it boots. `output` is the file descriptor of its output; default: the output of this process. `cwd`
 *   is its working directory; default: that of this process.
 * @returns {Promise<ServerProcess>}
 */
export async function startServer(args, env, { onStep, onSpawn, output, cwd }) {
  // The calling script has read .env or ignores it on purpose.
  const child = spawn(process.execPath, [...args, '--no-env-file'], {
    detached: true,
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit', 'ipc'],
  });
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => child.once('exit', () => resolve()));
  const kill = () => signalGroup(child.pid, 'SIGKILL');
  const stop = async () => {
    await stopChild(child, { withinMs: DRAIN_MS, kill });
    await ended;
  };
  onSpawn({ stop, kill });
  const url = await new Promise((resolve, reject) => {
    child.on('message', (/** @type {ServerMessage} */ message) => {
      if (message.type === 'step') onStep(message.name, message.ms);
      if (message.type === 'notice') console.log(message.text);
      if (message.type === 'listening') resolve(message.url);
    });
    child.once('error', reject);
    child.once('exit', () =>
      reject(new StepError('The server ended before it was ready. See its output above.')),
    );
  });
  return { url, ended, stop, kill };
}
