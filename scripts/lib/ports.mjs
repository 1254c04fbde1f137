import net from 'node:net';

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} Whether no other server stands in the way there. What else is wrong with an address the
 *   server says itself, when it cannot have it.
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
 * A port that was free a moment ago, for services that cannot be told "any". The kernel hands out others first
 * before it repeats one, so the moment between asking and using is safe in practice.
 *
 * @returns {Promise<number>}
 */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
