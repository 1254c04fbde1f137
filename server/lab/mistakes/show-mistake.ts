import type { Conduct, Experiment } from '../experiment';
import { crossSlot } from './cross-slot';
import { doubleBurst } from './double-burst';
import type { Mistake, MistakeName } from './mistake';
import { nodeClock } from './node-clock';
import { selfExtendingBlock } from './self-extending-block';

const shown = {
  'double-burst': doubleBurst,
  'node-clock': nodeClock,
  'self-extending-block': selfExtendingBlock,
  'cross-slot': crossSlot,
} satisfies Record<MistakeName, (experiment: Experiment) => Promise<Mistake>>;

/** Shows a mistake and the product beside it, under the same load. */
export function createShowMistake({ conduct }: { conduct: Conduct }) {
  return function showMistake({
    mistake,
    signal,
  }: {
    mistake: MistakeName;
    signal?: AbortSignal | undefined;
  }): Promise<Mistake> {
    return conduct({ signal }, shown[mistake]);
  };
}
