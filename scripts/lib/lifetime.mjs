import { spawn } from 'node:child_process';
import { signalGroup, stopChild, stopCommands } from './processes.mjs';
import { killServices, stopServices } from './services/spawn-service.mjs';
import { describeError, StepError } from './steps.mjs';

/** Signals within this time count as one: a Ctrl-C arrives twice, from the terminal and from npm. */
const SAME_SIGNAL_MS = 1_000;

/** The time after a signal at which remaining processes are killed. The contract allows 5 s. */
const STOP_DEADLINE_MS = 4_700;

/**
 * @typedef {{ stop: () => Promise<void>, kill: () => void }} Server
 *
 * @typedef {object} Lifetime
 * @property {(server: Server) => void} add  Registers a server, to be stopped before the databases.
 * @property {(code: number) => Promise<never>} exit  Stops everything and exits.
 * @property {() => boolean} isEnding
 */

/**
 * Runs `main`, and stops its commands, servers and services on a signal (exit 0), on an error (exit 1), or when `main`
 * calls `exit`. Servers stop before databases, so that they can finish their work.
 *
 * @param {(lifetime: Lifetime) => Promise<void>} main
 */
export async function runUntilStopped(main) {
  /** @type {Server[]} */
  const servers = [];
  /** @type {Promise<never> | undefined} */
  let exiting;

  const exit = (/** @type {number} */ code) => {
    exiting ??= stopEverything(code);
    return exiting;
  };
  /** @type {(code: number) => Promise<never>} */
  const stopEverything = async (code) => {
    setTimeout(() => killEverything(code), STOP_DEADLINE_MS).unref();
    await stopCommands();
    await Promise.all(servers.map((server) => server.stop()));
    await stopServices();
    return process.exit(code);
  };
  const killEverything = (/** @type {number} */ code) => {
    for (const server of servers) server.kill();
    killServices();
    process.exit(code);
  };

  let signalledAt = 0;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (signalledAt === 0) {
        signalledAt = Date.now();
        void exit(0);
      } else if (Date.now() - signalledAt > SAME_SIGNAL_MS) {
        killEverything(0);
      }
    });
  }

  const add = (/** @type {Server} */ server) => {
    servers.push(server);
    // The stop began before this server was added.
    if (exiting) void server.stop();
  };
  try {
    await main({ add, exit, isEnding: () => exiting !== undefined });
  } catch (error) {
    if (exiting) return;
    console.error(`\n${describeError(error)}`);
    await exit(1);
  }
}

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
