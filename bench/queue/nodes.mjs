import { bundleServer } from '../../scripts/lib/bundle.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { forkServer } from '../run/fork-server.mjs';

/** @typedef {import('./queue-node').Tasks} Tasks */

/**
 * Sends a task to a node, and returns its reply.
 *
 * @typedef {<Task extends keyof Tasks>(task: Task, input?: Parameters<Tasks[Task]>[0]) => Promise<Awaited<ReturnType<Tasks[Task]>>>} QueueNode
 */

const bundle = 'dist/bench-queue.js';

/**
 * Starts processes that join and serve queues.
 *
 * @param {string} redisUrl
 * @param {number} count
 */
export async function startQueueNodes(redisUrl, count) {
  await bundleServer({ entry: 'bench/queue/queue-node.ts', outfile: bundle });
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  const stop = async () => void (await Promise.all(stops.map((stopOne) => stopOne())));
  const startNode = async () => {
    const server = await forkServer(bundle, [redisUrl], { waitMs: 300_000 });
    stops.push(server.stop);
    /** @type {QueueNode} */
    const node = async (task, input) => {
      const reply = await server.send({ task, input });
      if (reply.error) throw new StepError(`The queue's node: ${reply.error}`);
      return reply;
    };
    return node;
  };
  try {
    return { nodes: await Promise.all(Array.from({ length: count }, startNode)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
