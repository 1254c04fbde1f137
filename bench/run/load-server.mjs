import { Agent, request } from 'node:http';
import { StepError } from '../../scripts/lib/steps.mjs';
import { forkServer } from './fork-server.mjs';

/** Number of keep-alive connections. */
export const CONNECTIONS = 32;
/** Timeout of every step. */
const WAIT_MS = 30_000;

/**
 * The cost of calls.
 *
 * @typedef {{ cpuUs: number, perSecond: number }} Cost  CPU time of the server's process per call in µs, and calls per second.
 */

/**
 * One call.
 *
 * @typedef {{ path: string, headers: Record<string, string | number>, method?: string, body?: string }} Call
 */

/**
 * A server in its own process, under the same load as the others.
 *
 * @typedef {object} LoadedServer
 * @property {any} ready  Its first message.
 * @property {(calls: number, nextCall: () => Call) => Promise<void>} warm  Sends calls and ignores the status.
 * @property {(calls: number, nextCall: () => Call, status: number) => Promise<Cost>} cost  Sends calls. Throws if an answer
 *   has another status.
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a server that receives calls on all connections.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ execArgv?: string[] }} [options]
 * @returns {Promise<LoadedServer>}
 */
export async function loadServer(file, args, options) {
  const server = await forkServer(file, args, { ...options, waitMs: WAIT_MS, stdout: 'ignore' });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  /** @type {(calls: number, nextCall: () => Call, status?: number) => Promise<void>} */
  async function load(calls, nextCall, status) {
    let sent = 0;
    const work = async () => {
      while (sent < calls) {
        sent += 1;
        const call = nextCall();
        const answered = await send({ agent, port: server.ready.port, ...call });
        if (answered !== (status ?? answered))
          throw new StepError(`${file} answered ${answered} instead of ${status} to ${call.path}.`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  }

  return {
    ready: server.ready,
    warm: load,
    async cost(calls, nextCall, status) {
      const before = await server.send('cpu');
      const startedAt = performance.now();
      await load(calls, nextCall, status);
      const tookMs = performance.now() - startedAt;
      const after = await server.send('cpu');
      return { cpuUs: (after - before) / calls, perSecond: (calls / tookMs) * 1000 };
    },
    stop() {
      agent.destroy();
      return server.stop();
    },
  };
}

/**
 * @param {Call & { agent: Agent, port: number }} options
 * @returns {Promise<number>} The status.
 */
function send({ body, ...options }) {
  return new Promise((resolve, reject) => {
    const req = request({ ...options, host: '127.0.0.1', timeout: WAIT_MS }, (res) => {
      res.once('end', () => resolve(res.statusCode ?? 0)).resume();
    });
    req.once('timeout', () => req.destroy(new Error('a server did not answer')));
    req.once('error', reject);
    req.end(body);
  });
}
