import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from './steps.mjs';

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} False if another server uses the port. The server itself reports other problems of an address.
 */
export function isPortFree(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(error.code !== 'EADDRINUSE'),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Finds a free port for a service that cannot choose one itself. The kernel cycles through its ports, so another process
 * hardly takes the port before the service listens.
 *
 * @returns {Promise<number>}
 */
export async function findFreePort() {
  const server = net.createServer();
  const port = await listenOnFreePort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Listens on a free port of 127.0.0.1.
 *
 * @param {net.Server} server
 * @returns {Promise<number>} The port.
 */
export async function listenOnFreePort(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new TypeError('The server listens on no TCP port.');
  return address.port;
}

const FIRST_PORT = 3000;
const LAST_PORT = 3010;

/**
 * Returns the port of the server: `PORT`, which must be free, else the first free port from 3000 to 3010. An invalid `PORT`
 * is returned unchanged, because the server reports it.
 *
 * @param {Record<string, string | undefined>} env
 * @param {{ maxWaitMs?: number }} [options] The maximum wait for a busy `PORT`: after a SIGKILL the former
 *   server may still be draining.
 * @returns {Promise<string>}
 */
export async function choosePort({ PORT, HOST }, { maxWaitMs = 0 } = {}) {
  const host = HOST || '127.0.0.1';
  if (PORT) {
    const port = Number(PORT);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return PORT;
    const deadline = Date.now() + maxWaitMs;
    while (!(await isPortFree(port, host))) {
      if (Date.now() >= deadline) throw portIsBusy(PORT);
      await sleep(100);
    }
    return PORT;
  }
  for (let port = FIRST_PORT; port <= LAST_PORT; port += 1) {
    if (await isPortFree(port, host)) return String(port);
  }
  throw new StepError(`All ports from ${FIRST_PORT} to ${LAST_PORT} are busy.`, {
    hint: 'Set a free one: PORT=4000 npm start',
  });
}

/** @param {string} port */
function portIsBusy(port) {
  return new StepError(`Port ${port} from PORT is busy.`, {
    hint: `Stop the program that uses it (lsof -i :${port}), set another port, or leave PORT unset.`,
  });
}
