import type { Experiment } from '../../experiments/experiment';
import type { Outcome } from '../decided-call';
import type { KeySnapshot } from '../key-snapshots';
import type { Card, Figure } from './card';
import { type CardRun, runNaive } from './run-naive';
import { runProduct } from './run-product';

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
