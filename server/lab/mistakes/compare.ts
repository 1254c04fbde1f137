import { type Asking, createAsking } from '../asking';
import { type DecidedCall, decidedCall, outcomeOf } from '../decided-call';
import type { Experiment } from '../experiment';
import { inChunks } from '../in-chunks';
import { clockOrigin } from '../lab-clock';
import { labPolicy } from '../lab-limiter';
import { looksAt } from '../look-at-key';
import type { MistakeSide } from './mistake';

export interface Load {
  /** In ms on the lab's clock, in order. */
  arrivals: readonly number[];
  limit: number;
  windowMs: number;
}

/** What a mistaken version says to the call at that place of the load, made at `now` epoch ms. */
export type MistakenDecide = (
  call: { at: number; now: number; place: number },
  ask: Asking,
) => Promise<DecidedCall>;

/** A load as a mistaken version decides it. */
export async function mistakenSide(
  experiment: Experiment,
  { arrivals, windowMs }: Load,
  decide: MistakenDecide,
): Promise<MistakeSide> {
  const origin = clockOrigin(windowMs);
  const own = experiment.newKeys();
  const asks: Asking[] = [];
  const decisions = await inChunks(
    arrivals,
    (at, place) => {
      const ask = createAsking();
      asks.push(ask);
      return decide({ at, now: origin + at, place }, ask);
    },
    experiment,
  );
  return {
    ...outcomeOf(decisions, windowMs),
    roundTrips: Math.max(...asks.map((ask) => ask.roundTrips())),
    keys: await looksAt(experiment, own(), { origin }),
  };
}

/** A load as the product's sliding log decides it. */
export async function productSide(
  experiment: Experiment,
  { arrivals, limit, windowMs }: Load,
): Promise<MistakeSide> {
  const origin = clockOrigin(windowMs);
  const own = experiment.newKeys();
  const limiter = experiment.limiter();
  const policy = labPolicy('product', [{ level: 'global', limit, windowMs }]);
  const decisions = await inChunks(
    arrivals,
    async (at) => decidedCall(at, await limiter.decideAt(origin + at, policy)),
    experiment,
  );
  return {
    ...outcomeOf(decisions, windowMs),
    roundTrips: limiter.roundTrips() / arrivals.length,
    keys: await looksAt(experiment, own(), { origin, packedBy: 'sliding-log' }),
  };
}
