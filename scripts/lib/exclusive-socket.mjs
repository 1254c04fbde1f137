import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './files.mjs';

/**
 * Claims a path as a listening unix socket, which marks a folder as in use while the process lives. Unlike a pid file it
 * is never stale: after a SIGKILL the kernel refuses connections, and the next claim replaces the file. Keep the path
 * relative and short: the limit is about 100 characters.
 *
 * @param {string} socketPath
 * @returns {Promise<{ server: net.Server, wasStale: boolean } | undefined>}
 *   The claimed socket, or undefined while another process holds it.
 */
export async function claimSocket(socketPath) {
  await mkdir(path.dirname(socketPath), { recursive: true });
  for (;;) {
    const server = await listen(socketPath);
    if (server) return { server, wasStale: false };
    if (await isAnswering(socketPath)) return undefined;
    const taken = await takeOver(socketPath);
    if (taken) return { server: taken, wasStale: true };
  }
}

/**
 * Replaces a socket file that no process listens on. Only the process that creates the marker folder may delete the file,
 * and it checks once more before: otherwise two concurrent starts could delete each other's new socket.
 *
 * @param {string} socketPath
 * @returns {Promise<net.Server | undefined>}
 */
async function takeOver(socketPath) {
  const marker = `${socketPath}.takeover`;
  try {
    await mkdir(marker);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    await removeStaleMarker(marker);
    await sleep(50);
    return undefined;
  }
  try {
    if (await isAnswering(socketPath)) return undefined;
    await rm(socketPath, { force: true });
    return await listen(socketPath);
  } finally {
    await rmdir(marker);
  }
}

/**
 * Removes a marker that a killed process left behind: a marker normally exists for milliseconds.
 *
 * @param {string} marker
 */
async function removeStaleMarker(marker) {
  try {
    if (Date.now() - (await stat(marker)).mtimeMs > 5_000) await rmdir(marker);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/**
 * @param {string} socketPath
 * @returns {Promise<net.Server | undefined>} Undefined when the path exists already.
 */
function listen(socketPath) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error) => (hasCode(error, 'EADDRINUSE') ? resolve(undefined) : reject(error)));
    server.listen(socketPath, () => resolve(server));
  });
}

/**
 * @param {string} socketPath
 * @returns {Promise<boolean>}
 */
function isAnswering(socketPath) {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

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
