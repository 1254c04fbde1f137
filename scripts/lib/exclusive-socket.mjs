import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Claims a path as a listening unix socket, which says "this folder is in use" for exactly as long as the
 * process lives. Unlike a pid file it cannot lie: after a SIGKILL the kernel refuses connections, and the
 * leftover file is replaced. Keep the path relative and short, a socket's path may have some 100 characters.
 *
 * @param {string} socketPath
 * @returns {Promise<{ server: net.Server, wasStale: boolean } | undefined>}
 *   The socket that is now ours, or undefined while another living process holds it.
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
 * Replaces a socket file that nobody answers. Only the process that makes the marker folder may delete, and it
 * asks once more before it does: otherwise two starts at once could each delete the other's fresh socket.
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
 * A marker lives for milliseconds; one that is older was left by a process killed in that moment.
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
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
