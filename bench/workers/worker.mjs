/**
 * The process of one contender. It gets the contender's name as argument and its tasks over IPC, and exits with its
 * parent.
 */
import process from 'node:process';
import { contenders } from '../contenders/contenders.mjs';
import { fill } from './fill.mjs';
import { playBursts } from './play-bursts.mjs';
import { runSlice } from './run-slice.mjs';

const name = /** @type {import('../contenders/contenders.mjs').ContenderName} */ (process.argv[2]);
const contender = contenders[name];
/** @type {Map<number, import('../contenders/contender.mjs').Gate>} */
const gates = new Map();

/** @type {{ [Task in import('./tasks').TaskName]: import('./tasks').Worker[Task] }} */
const tasks = {
  async open({ gate, redisUrl, prefix, levels }) {
    gates.set(gate, await contender.open({ redisUrl, prefix, levels }));
  },
  slice: (options) => runSlice(gateOf(options), options),
  fill: (options) => fill(gateOf(options), options),
  bursts: (options) => playBursts(gateOf(options), options),
};

process.on('message', async (/** @type {import('./tasks').TaskRequest} */ { id, task, options }) => {
  try {
    // `startWorker` sends the options of this task.
    const result = await tasks[task](/** @type {never} */ (options));
    process.send?.({ id, result });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

/** @param {{ gate: number }} options */
function gateOf({ gate }) {
  const found = gates.get(gate);
  if (!found) throw new RangeError(`gate ${gate} was not opened`);
  return found;
}
