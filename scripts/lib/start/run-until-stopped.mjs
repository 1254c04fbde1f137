import { stopCommands } from '../run-command.mjs';
import { killServices, stopServices } from '../services/spawn-service.mjs';
import { describeError } from '../step-error.mjs';

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
