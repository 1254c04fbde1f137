import { Agent, request } from 'node:http';
import { StepError } from '../../scripts/lib/step-error.mjs';
import { forkServer } from '../run/fork-server.mjs';

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
 * A server in its own process, under the same load as the others.
 *
 * @typedef {object} Served
 * @property {(calls: number, cookies: readonly string[]) => Promise<Cost>} cost  Sends calls. Throws if an answer has
 *   another status than expected.
 * @property {readonly string[]} cookies  The cookies of this server's shoppers.
 * @property {(calls: number, cookies: readonly string[]) => Promise<void>} warm  Sends calls and ignores the status.
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} file
 * @param {string[]} args
 * @param {{ status: number }} expected  The status of every measured answer.
 * @returns {Promise<Served>}
 */
export async function serve(file, args, { status }) {
  const server = await forkServer(file, args, {
    waitMs: WAIT_MS,
    execArgv: ['--enable-source-maps'],
    stdout: 'ignore',
  });
  const { port, cookies = [] } = server.ready;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  /**
   * @param {number} calls
   * @param {readonly string[]} cookies
   */
  async function load(calls, cookies) {
    /** @type {Map<number, number>} */
    const statuses = new Map();
    let sent = 0;
    const work = async () => {
      while (sent < calls) {
        const answered = await call({ agent, port, cookie: cookies[sent++ % cookies.length] ?? '' });
        statuses.set(answered, (statuses.get(answered) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return statuses;
  }

  return {
    cookies,
    async warm(calls, cookies) {
      await load(calls, cookies);
    },
    async cost(calls, cookies) {
      const before = await server.send('cpu');
      const startedAt = performance.now();
      const statuses = await load(calls, cookies);
      const tookMs = performance.now() - startedAt;
      const after = await server.send('cpu');
      if (statuses.get(status) !== calls) {
        throw new StepError(`Expected ${calls} answers ${status}, got ${JSON.stringify([...statuses])}.`);
      }
      return { cpuUs: (after - before) / calls, perSecond: (calls / tookMs) * 1000 };
    },
    stop() {
      agent.destroy();
      return server.stop();
    },
  };
}

/**
 * Sends a click on the sale as a browser does.
 *
 * @param {{ agent: Agent, port: number, cookie: string }} options
 * @returns {Promise<number>} The status.
 */
function call({ agent, port, cookie }) {
  const body = '{"couponId":"c"}';
  return new Promise((resolve, reject) => {
    const req = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/trpc/coupon.seckill',
        timeout: WAIT_MS,
        headers: {
          accept: '*/*',
          'accept-language': 'en-GB,en;q=0.9',
          'content-length': body.length,
          'content-type': 'application/json',
          cookie,
          origin: `http://127.0.0.1:${port}`,
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
        },
      },
      (res) => {
        res.once('end', () => resolve(res.statusCode ?? 0)).resume();
      },
    );
    req.once('timeout', () => req.destroy(new Error('a server did not answer')));
    req.once('error', reject);
    req.end(body);
  });
}
