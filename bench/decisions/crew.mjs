import { startWorker } from '../workers/start-worker.mjs';

/**
 * @typedef {import('./cases.mjs').ContenderName} ContenderName
 * @typedef {Awaited<ReturnType<typeof startWorker>>} Worker
 */

/**
 * Starts one process for each used contender, for the whole figure.
 *
 * @param {import('../run/figure').Lab} lab
 */
export function createCrew(lab) {
  /** @type {Map<ContenderName, Worker>} */
  const crew = new Map();
  return {
    /** @param {ContenderName} name */
    async workerOf(name) {
      const known = crew.get(name);
      if (known) return known;
      lab.note(`${name} begins`);
      const worker = await startWorker(name);
      lab.onEnd(worker.stop);
      crew.set(name, worker);
      return worker;
    },
  };
}
