import { Agent, request } from 'node:http';
import { StepError } from '../../scripts/lib/step-error.mjs';
import { forkServer } from '../run/fork-server.mjs';

/** Number of keep-alive connections. */
export const CONNECTIONS = 32;
const WAIT_MS = 30_000;
/** Callers who are admitted have enough room; those who are refused have used theirs. */
const callerCounts = { open: 5_000, full: 50 };
const statuses = { bare: 200, open: 200, full: 429 };

/**
 * Starts the server of a framework.
 *
 * @param {{ framework: string, packageFolder: string, redisUrl: string }} options
 */
export async function serveFramework({ framework, packageFolder, redisUrl }) {
  const server = await forkServer(
    'bench/adapters/framework-server.mjs',
    [framework, packageFolder, redisUrl],
    {
      waitMs: WAIT_MS,
      stdout: 'ignore',
    },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let sent = 0;

  /** @param {string} route  @param {number} calls */
  async function load(route, calls) {
    const callers = route.endsWith('/full') ? callerCounts.full : callerCounts.open;
    const last = sent + calls;
    /** @type {number[]} */
    const answered = [];
    const work = async () => {
      while (sent < last) {
        sent += 1;
        const user = `user-${sent % callers}`;
        answered.push(await get({ agent, port: server.ready.port, path: route, user }));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return answered;
  }

  return {
    /** @type {(route: string, calls: number) => Promise<void>} */
    async warm(route, calls) {
      await load(route, calls);
    },
    /**
     * Returns the CPU time of the server's process per call in µs. Throws if an answer has another status than the callers
     * of the route get.
     *
     * @param {string} route
     * @param {number} calls
     */
    async cost(route, calls) {
      const before = await server.send('cpu');
      const answered = await load(route, calls);
      const after = await server.send('cpu');
      const expected = statuses[/** @type {keyof typeof statuses} */ (route.split('/').at(-1))];
      const other = answered.find((status) => status !== expected);
      if (other !== undefined) throw new StepError(`${route} answered ${other} instead of ${expected}.`);
      return (after - before) / answered.length;
    },
    stop() {
      agent.destroy();
      return server.stop();
    },
  };
}

/**
 * @param {{ agent: Agent, port: number, path: string, user: string }} options
 * @returns {Promise<number>} The status.
 */
function get({ agent, port, path, user }) {
  return new Promise((resolve, reject) => {
    const headers = { accept: '*/*', 'x-user': user };
    const req = request({ agent, host: '127.0.0.1', port, path, headers, timeout: WAIT_MS }, (res) => {
      res.once('end', () => resolve(res.statusCode ?? 0)).resume();
    });
    req.once('timeout', () => req.destroy(new Error('a server did not answer')));
    req.once('error', reject);
    req.end();
  });
}
