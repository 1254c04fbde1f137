import { once } from 'node:events';
import net from 'node:net';

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
