import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stopChild } from '../../scripts/lib/processes.mjs';

/**
 * A process that exits with its parent.
 *
 * @typedef {object} ForkedServer
 * @property {any} ready  Its first message.
 * @property {(message: import('node:child_process').Serializable) => Promise<any>} send  Returns the reply. Send one
 *   message at a time.
 * @property {import('node:child_process').ChildProcess} child
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a server in its own process, in production mode, and waits for its first message.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ waitMs?: number, execArgv?: string[], env?: Record<string, string>, stdout?: 'inherit' | 'ignore' }} [options]
 *   `waitMs`: timeout of each message; default 30 s. `stdout`: default 'inherit'.
 * @returns {Promise<ForkedServer>}
 */
export async function forkServer(
  file,
  args,
  { waitMs = 30_000, execArgv = [], env, stdout = 'inherit' } = {},
) {
  const child = fork(file, args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    execArgv,
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error(`${file} ended`)));
  const nextMessage = async () => {
    const signal = AbortSignal.any([AbortSignal.timeout(waitMs), ended.signal]);
    const [message] = await once(child, 'message', { signal });
    return message;
  };
  const stop = () => stopChild(child, { withinMs: 3_000 });
  try {
    return {
      ready: await nextMessage(),
      send(message) {
        const reply = nextMessage();
        child.send(message);
        return reply;
      },
      child,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
