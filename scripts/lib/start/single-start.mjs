import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimSocket } from '../exclusive-socket.mjs';

/**
 * Ensures one `npm start` per clone. The first start holds the socket and sends its address to each client when it serves.
 * A later start waits for that address. If the first ends without serving, the later one replaces it.
 *
 * @param {string} socketPath
 * @returns {Promise<{ first: true, afterCrash: boolean, announce: (url: string) => void }
 *   | { first: false, url: string }>}
 */
export async function claimSingleStart(socketPath) {
  for (;;) {
    const claim = await claimSocket(socketPath);
    if (claim) return { first: true, afterCrash: claim.wasStale, ...serveAddress(claim.server) };
    const url = await readAddress(socketPath);
    if (url) return { first: false, url };
    await sleep(100);
  }
}

/** @param {net.Server} server */
function serveAddress(server) {
  /** @type {string | undefined} */
  let url;
  /** @type {Set<net.Socket>} */
  const clients = new Set();
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => clients.delete(socket));
    if (url) socket.end(url);
    else clients.add(socket);
  });
  return {
    announce(/** @type {string} */ address) {
      url = address;
      for (const socket of clients) socket.end(url);
    },
  };
}

/**
 * @param {string} socketPath
 * @returns {Promise<string | undefined>} Undefined if the first start ended before it had an address.
 */
function readAddress(socketPath) {
  return new Promise((resolve) => {
    let url = '';
    const socket = net.connect(socketPath);
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      url += chunk;
    });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(url || undefined));
  });
}
