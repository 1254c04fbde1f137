import net from 'node:net';

/**
 * Sends one inline command to a Redis and returns the first line of its reply. It needs no client library, because no
 * package may be installed yet.
 *
 * @param {net.NetConnectOpts} address
 * @param {string} command
 * @returns {Promise<string | undefined>} Undefined without a reply within a second.
 */
export function sendRedisCommand(address, command) {
  return new Promise((resolve) => {
    const socket = net.connect(address, () => socket.write(`${command}\r\n`));
    const settle = (/** @type {string | undefined} */ answer) => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(1_000, () => settle(undefined));
    socket.once('data', (data) => settle(data.toString('utf8').split('\r\n')[0]));
    socket.once('error', () => settle(undefined));
    socket.once('close', () => settle(undefined));
  });
}
