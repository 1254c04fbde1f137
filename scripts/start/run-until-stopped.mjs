import { stopCommands } from '../run-command.mjs';
import { describeError } from '../step-error.mjs';

/** A terminal's Ctrl-C arrives twice, from the terminal and from npm; a person's second one takes longer. */
const sameSignalMs = 1_000;

/** All must be over within five seconds of the signal; what is left then is ended by force. */
const deadlineMs = 4_700;

/**
 * @typedef {{ stop: () => Promise<void>, kill: () => unknown }} Part
 *
 * @typedef {object} Parts
 * @property {(part: Part) => void} server  Registers what is stopped first.
 * @property {(part: Part) => void} service  Registers what is stopped after the server.
 * @property {(code: number) => Promise<never>} exit  Stops everything and exits.
 */

/**
 * Runs `main` and sees to it that everything it registers ends with it: on a signal (exit 0), on an error
 * (exit 1), or when `main` asks. The server goes first, so that it can finish its work with its databases.
 *
 * @param {(parts: Parts) => Promise<void>} main
 */
export async function runUntilStopped(main) {
  /** @type {Part[]} */
  const servers = [];
  /** @type {Part[]} */
  const services = [];
  /** @type {Promise<never> | undefined} */
  let exiting;

  const exit = (/** @type {number} */ code) => {
    exiting ??= stopEverything(code);
    return exiting;
  };
  /** @type {(code: number) => Promise<never>} */
  const stopEverything = async (code) => {
    setTimeout(() => void killEverything(code), deadlineMs).unref();
    await stopCommands();
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(services.map((service) => service.stop()));
    return process.exit(code);
  };
  const killEverything = async (/** @type {number} */ code) => {
    await Promise.all([...servers, ...services].map((part) => part.kill()));
    process.exit(code);
  };

  let signalledAt = 0;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (signalledAt === 0) {
        signalledAt = Date.now();
        void exit(0);
      } else if (Date.now() - signalledAt > sameSignalMs) {
        void killEverything(0);
      }
    });
  }

  const register = (/** @type {Part[]} */ list) => (/** @type {Part} */ part) => {
    list.push(part);
    // A stop that came while this part was starting has not seen it.
    if (exiting) void part.stop();
  };
  try {
    await main({ server: register(servers), service: register(services), exit });
  } catch (error) {
    if (exiting) return;
    console.error(`\n${describeError(error)}`);
    await exit(1);
  }
}
