/**
 * A process in which one contender decides, and nothing else happens: started with the contender's name, told what to do
 * over IPC, ended with whoever started it.
 */
import process from 'node:process';
import { contenders } from '../contenders/contenders.mjs';
import { fill } from './fill.mjs';
import { playBursts } from './play-bursts.mjs';
import { profileSlice } from './profile-slice.mjs';
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
  slice: (order) => runSlice(gateOf(order), order),
  profile: (order) => profileSlice(gateOf(order), order),
  fill: (order) => fill(gateOf(order), order),
  bursts: (order) => playBursts(gateOf(order), order),
};

process.on('message', async (/** @type {import('./tasks').Request} */ { id, task, order }) => {
  try {
    // The order is of its task: `startWorker` sends nothing else.
    const result = await tasks[task](/** @type {never} */ (order));
    process.send?.({ id, result });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

/** @param {{ gate: number }} order */
function gateOf({ gate }) {
  const found = gates.get(gate);
  if (!found) throw new RangeError(`gate ${gate} was not opened`);
  return found;
}
