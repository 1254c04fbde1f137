import type { Experiment } from '../../sandbox/experiment';
import { mapInChunks } from '../../sandbox/map-in-chunks';
import { labPolicy } from '../../sandbox/sandbox-limiter';
import { clockOrigin } from '../../sandbox/simulated-clock';
import { type CountedSend, createCountedSend } from '../counted-send';
import { type DecidedCall, summarizeDecisions, toDecidedCall } from '../decided-call';
import { readKeySnapshots } from '../read-key-snapshots';
import type { MistakeSide } from './mistake';

export interface Load {
  /** Ascending, in ms on the lab's clock. */
  arrivals: readonly number[];
  limit: number;
  windowMs: number;
}

/** Decides one call of a load as the naive version does. `now` is in epoch ms. */
export type NaiveDecide = (
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
  const policy = labPolicy('product', [{ level: 'global', limit, windowMs }]);
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
