import { fork } from 'node:child_process';
import { once } from 'node:events';
import { waitForExit } from '../../scripts/lib/process-group.mjs';
import { StepError } from '../../scripts/lib/step-error.mjs';

/** Nothing that a worker is told takes longer; what does hangs. */
const WAIT_MS = 120_000;

/**
 * @typedef {import('./tasks').Worker & { name: import('../contenders/contenders.mjs').ContenderName, stop: () => Promise<void> }} RunningWorker
 */

/**
 * @param {import('../contenders/contenders.mjs').ContenderName} name
 * @param {{ clockOffsetMs?: number }} [options]  How far the clock of its process is off.
 * @returns {Promise<RunningWorker>}
 */
export async function startWorker(name, { clockOffsetMs = 0 } = {}) {
  const shift = new URL('./shift-clock.mjs', import.meta.url).href;
  const child = fork('bench/workers/worker.mjs', [name], {
    env: { ...process.env, NODE_ENV: 'production', BENCH_CLOCK_OFFSET_MS: String(clockOffsetMs) },
    execArgv: clockOffsetMs === 0 ? [] : ['--import', shift],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let asked = 0;

  const failAll = (/** @type {string} */ why) => {
    for (const { reject } of waiting.values()) reject(new StepError(`${name}: ${why}`));
    waiting.clear();
  };
  await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
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

  /** @type {(task: import('./tasks').TaskName, order: object) => Promise<any>} */
  const tell = async (task, order) => {
    const id = asked++;
    const timer = setTimeout(() => failAll(`${task} took too long`), WAIT_MS);
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, task, order });
      });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    name,
    open: (order) => tell('open', order),
    slice: (order) => tell('slice', order),
    profile: (order) => tell('profile', order),
    fill: (order) => tell('fill', order),
    bursts: (order) => tell('bursts', order),
    async stop() {
      child.disconnect();
      if (!(await waitForExit(child, 3_000))) child.kill('SIGKILL');
    },
  };
}
