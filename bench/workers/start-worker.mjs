import { StepError } from '../../scripts/lib/steps.mjs';
import { forkServer } from '../run/fork-server.mjs';

/** Timeout of every task. */
const WAIT_MS = 120_000;

/**
 * @typedef {import('./tasks').Worker & { name: import('../contenders/contenders.mjs').ContenderName, stop: () => Promise<void> }} RunningWorker
 */

/**
 * @param {import('../contenders/contenders.mjs').ContenderName} name
 * @param {{ clockOffsetMs?: number }} [options]  Offset of the clock of its process.
 * @returns {Promise<RunningWorker>}
 */
export async function startWorker(name, { clockOffsetMs = 0 } = {}) {
  const shift = new URL('./shift-clock.mjs', import.meta.url).href;
  const { child, stop } = await forkServer('bench/workers/worker.mjs', [name], {
    env: { BENCH_CLOCK_OFFSET_MS: String(clockOffsetMs) },
    execArgv: clockOffsetMs === 0 ? [] : ['--import', shift],
  });
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let nextId = 0;

  const failAll = (/** @type {string} */ reason) => {
    for (const { reject } of waiting.values()) reject(new StepError(`${name}: ${reason}`));
    waiting.clear();
  };
  child.on(
    'message',
    (/** @type {{ id: number, result?: unknown, error?: string }} */ { id, result, error }) => {
      const call = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new StepError(`${name}: ${error}`));
    },
  );
  child.once('exit', () => failAll('its process ended'));

  /** @type {(task: import('./tasks').TaskName, options: object) => Promise<any>} */
  const send = async (task, options) => {
    const id = nextId++;
    const timer = setTimeout(() => failAll(`${task} took too long`), WAIT_MS);
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, task, options });
      });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    name,
    open: (options) => send('open', options),
    slice: (options) => send('slice', options),
    fill: (options) => send('fill', options),
    bursts: (options) => send('bursts', options),
    stop,
  };
}
