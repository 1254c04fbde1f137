import net from 'node:net';

/**
 * Sends one inline command to a Redis and returns the first line of its answer. Enough to see whether it has
 * loaded its data, or to tell it to go, on a machine where no client library is installed yet.
 *
 * @param {net.NetConnectOpts} where
 * @param {string} command
 * @returns {Promise<string | undefined>} Undefined when nobody answers within a second.
 */
export function sendRedisCommand(where, command) {
  return new Promise((resolve) => {
    const socket = net.connect(where, () => socket.write(`${command}\r\n`));
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
