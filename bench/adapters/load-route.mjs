import { loadServer } from '../run/load-server.mjs';

/** Callers who are admitted have enough room; those who are refused have used theirs. */
const callerCounts = { open: 5_000, full: 50 };
const statuses = { bare: 200, open: 200, full: 429 };

/**
 * Starts the server of a framework.
 *
 * @param {{ framework: string, packageFolder: string, redisUrl: string }} options
 */
export async function serveFramework({ framework, packageFolder, redisUrl }) {
  const server = await loadServer('bench/adapters/framework-server.mjs', [
    framework,
    packageFolder,
    redisUrl,
  ]);
  let sent = 0;

  /** @param {string} route */
  const callsOf = (route) => () => {
    const callers = route.endsWith('/full') ? callerCounts.full : callerCounts.open;
    sent += 1;
    return { path: route, headers: { accept: '*/*', 'x-user': `user-${sent % callers}` } };
  };

  return {
    /** @type {(route: string, calls: number) => Promise<void>} */
    warm: (route, calls) => server.warm(calls, callsOf(route)),
    /**
     * Returns the CPU time of the server's process per call in µs. Throws if an answer has another status than the callers
     * of the route get.
     *
     * @param {string} route
     * @param {number} calls
     */
    async cost(route, calls) {
      const status = statuses[/** @type {keyof typeof statuses} */ (route.split('/').at(-1))];
      return (await server.cost(calls, callsOf(route), status)).cpuUs;
    },
    stop: server.stop,
  };
}
