import type { Experiment } from '../../experiments/experiment';
import { clockOrigin } from '../../experiments/experiment-limiter';
import { mapInChunks } from '../../experiments/map-in-chunks';
import { type Policy, resolvePolicy, StoreUnavailableError } from '../../limiter';
import { type DecidedCall, type Outcome, summarizeDecisions, toDecidedCall } from '../decided-call';
import { type KeySnapshot, readKeySnapshots } from '../key-snapshots';
import type { Card, CardCall, Figure } from './card';
import { type CardRun, runNaive, selectClient } from './run-naive';

/** One version of a limiter under the load of a card. */
export interface CardSide extends Outcome {
  figure: Figure;
  /** Maximum number of round trips of one call. */
  roundTrips: number;
  keys: KeySnapshot[];
}

/** Runs the load of a card through its faulty limiter and through the product. */
export async function runCard(
  experiment: Experiment,
  card: Card,
): Promise<Record<'naive' | 'product', CardRun> & { third?: CardRun }> {
  const naive = await runNaive(experiment, card);
  const product = await runProduct(experiment, card, 'closed');
  return card.isStoreDown
    ? { naive, product, third: await runProduct(experiment, card, 'local') }
    : { naive, product };
}

/** Returns the side of a run, with its figure. */
export function toCardSide(
  { measured, roundTrips, keys }: CardRun,
  product: CardRun,
  { limit, figure }: Card,
): CardSide {
  const { decisions, admitted, refused, worstWindow, worstWindowEndsAt } = measured;
  return {
    ...{ decisions, admitted, refused, worstWindow, worstWindowEndsAt, roundTrips, keys },
    figure: figure?.(measured, product.measured) ?? {
      value: worstWindow,
      of: limit,
      isOk: worstWindow <= limit,
    },
  };
}

async function runProduct(
  experiment: Experiment,
  card: Card,
  onStoreError: Policy['onStoreError'],
): Promise<CardRun> {
  const { calls, limit, windowMs, levels = [{ level: 'global', limit, windowMs }], subjects } = card;
  const origin = clockOrigin(windowMs);
  const listNewKeys = experiment.trackNewKeys();
  const limiter = experiment.limiter(selectClient(experiment, card));
  const name = `product-${onStoreError}`;
  const policy = resolvePolicy({ name, levels, message: { en: 'Refused.' }, onStoreError }, name);

  async function decide(call: CardCall): Promise<DecidedCall> {
    try {
      return toDecidedCall(call.at, await limiter.decideAt(origin + call.at, policy, subjects?.(call) ?? {}));
    } catch (error) {
      if (!card.isStoreDown || !(error instanceof StoreUnavailableError)) throw error;
      return { at: call.at, allowed: false, remaining: 0, retryAfterMs: 0, delayMs: 0 };
    }
  }

  const decisions = await mapInChunks(calls, decide, experiment);
  // The state of a punishment has another format than that of a window.
  const [first] = levels;
  const packedBy =
    first && 'limit' in first && !first.punishment ? (first.algorithm ?? 'sliding-log') : undefined;
  const keys = await readKeySnapshots(experiment, listNewKeys(), { origin, packedBy });
  const forEver = keys.filter(({ ttlMs }) => ttlMs < 0);
  return {
    measured: {
      ...summarizeDecisions(decisions, windowMs),
      ...{ calls, keyNames: listNewKeys(), keysLeft: keys.length, keysForEver: forEver.length },
    },
    roundTrips: Math.ceil(limiter.scriptCalls() / calls.length),
    keys,
  };
}
