import type { Experiment, RunExperiment } from '../../sandbox/experiment';
import { crossSlot } from './cross-slot';
import { doubleBurst } from './double-burst';
import type { Mistake, MistakeName } from './mistake';
import { nodeClock } from './node-clock';
import { selfExtendingBlock } from './self-extending-block';

const demonstrations = {
  'double-burst': doubleBurst,
  'node-clock': nodeClock,
  'self-extending-block': selfExtendingBlock,
  'cross-slot': crossSlot,
} satisfies Record<MistakeName, (experiment: Experiment) => Promise<Mistake>>;

/** Creates the demonstration of a mistake and of the product under the same load. */
export function createShowMistake({ runExperiment }: { runExperiment: RunExperiment }) {
  return function showMistake({
    mistake,
    signal,
  }: {
    mistake: MistakeName;
    signal?: AbortSignal | undefined;
  }): Promise<Mistake> {
    return runExperiment({ signal }, demonstrations[mistake]);
  };
}
