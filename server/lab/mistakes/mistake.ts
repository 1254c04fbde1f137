import type { Experiment } from '../../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../../experiments/experiment-limiter';
import { mapInChunks } from '../../experiments/map-in-chunks';
import { type DecidedCall, type Outcome, summarizeDecisions, toDecidedCall } from '../decided-call';
import { type KeySnapshot, readKeySnapshots } from '../key-snapshots';
import { type CountedSend, createCountedSend } from '../naive-log';

export const mistakes = ['double-burst', 'node-clock', 'self-extending-block', 'cross-slot'] as const;
export type MistakeName = (typeof mistakes)[number];

/** A common mistake, and the product under the same load. */
export type Mistake = ComparedSides &
  (
    | { mistake: 'double-burst' | 'self-extending-block' }
    | {
        mistake: 'node-clock';
        /** Lead of the second node's clock over the first node's clock. */
        skewMs: number;
        /** The node (0 or 1) of each decision, by index. */
        nodes: number[];
      }
    | {
        mistake: 'cross-slot';
        naiveKeys: KeySlot[];
        productKeys: KeySlot[];
        /** False for a Redis without slots, which accepts any keys. */
        isCluster: boolean;
        /** Error reply to the naive script. Null if the script ran. */
        naiveError: string | null;
      }
  );

/** A key and its hash slot (0 to 16383). */
export interface KeySlot {
  key: string;
  slot: number;
}

interface ComparedSides {
  limit: number;
  windowMs: number;
  naive: MistakeSide;
  product: MistakeSide;
}

export interface MistakeSide extends Outcome {
  /** Maximum number of round trips of one call. */
  roundTrips: number;
  keys: KeySnapshot[];
}

interface Load {
  /** Ascending, in ms on the experiment's clock. */
  arrivals: readonly number[];
  limit: number;
  windowMs: number;
}

/** Decides one call of a load as the naive version does. `now` is in epoch ms. */
type NaiveDecide = (
  call: { at: number; now: number; index: number },
  send: CountedSend,
) => Promise<DecidedCall>;

/** Runs a load through a naive version. */
export async function runNaiveSide(
  experiment: Experiment,
  { arrivals, windowMs }: Load,
  decide: NaiveDecide,
): Promise<MistakeSide> {
  const origin = clockOrigin(windowMs);
  const listNewKeys = experiment.trackNewKeys();
  const sends: CountedSend[] = [];
  const decisions = await mapInChunks(
    arrivals,
    (at, index) => {
      const send = createCountedSend();
      sends.push(send);
      return decide({ at, now: origin + at, index }, send);
    },
    experiment,
  );
  return {
    ...summarizeDecisions(decisions, windowMs),
    roundTrips: Math.max(...sends.map((send) => send.roundTrips())),
    keys: await readKeySnapshots(experiment, listNewKeys(), { origin }),
  };
}

/** Runs a load through the product's sliding log. */
export async function runProductSide(
  experiment: Experiment,
  { arrivals, limit, windowMs }: Load,
): Promise<MistakeSide> {
  const origin = clockOrigin(windowMs);
  const listNewKeys = experiment.trackNewKeys();
  const limiter = experiment.limiter();
  const policy = experimentPolicy('product', [{ level: 'global', limit, windowMs }]);
  const decisions = await mapInChunks(
    arrivals,
    async (at) => toDecidedCall(at, await limiter.decideAt(origin + at, policy)),
    experiment,
  );
  return {
    ...summarizeDecisions(decisions, windowMs),
    roundTrips: limiter.roundTrips() / arrivals.length,
    keys: await readKeySnapshots(experiment, listNewKeys(), { origin, packedBy: 'sliding-log' }),
  };
}
