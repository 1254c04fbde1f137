import type { Experiment } from '../../experiments/experiment';
import type { Outcome } from '../decided-call';
import type { KeySnapshot } from '../key-snapshots';
import { atMost, type Card, type CardCall, type Figure, type Measured } from './card';
import { type CardRun, runNaive } from './run-naive';
import { runProduct } from './run-product';

/** One version of a limiter under the load of a card. */
export interface CardSide extends Outcome {
  figure: Figure;
  /** Maximum number of round trips of one call. */
  roundTrips: number;
  keys: KeySnapshot[];
  /** In the order of `CardText.groups`. Empty for a card without groups. */
  groups: CallGroup[];
}

/** The calls of one group of callers. */
export interface CallGroup {
  /** Times of the calls in ms on the experiment's clock, ascending. */
  admittedAt: number[];
  refusedAt: number[];
  /** The refused callers with their refused calls, most first. Empty for a group of one caller. */
  refused: { caller: string; calls: number }[];
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
  { limit, figure, groupOf, text }: Card,
): CardSide {
  const { decisions, admitted, refused, worstWindow, worstWindowEndsAt } = measured;
  return {
    ...{ decisions, admitted, refused, worstWindow, worstWindowEndsAt, roundTrips, keys },
    figure: figure?.(measured, product.measured) ?? atMost(worstWindow, { of: limit, counts: 'worstWindow' }),
    groups:
      (groupOf && text.en.groups?.map((_, index) => toGroup(measured, (call) => groupOf(call) === index))) ??
      [],
  };
}

/** Returns the calls of a group, with the refused callers if the group has several. */
function toGroup({ calls, decisions }: Measured, isMember: (call: CardCall) => boolean): CallGroup {
  const members = calls.flatMap((call, index) =>
    isMember(call) ? [{ ...call, allowed: decisions[index]?.allowed === true }] : [],
  );
  const timesOf = (wasAllowed: boolean) =>
    members.filter(({ allowed }) => allowed === wasAllowed).map(({ at }) => at);
  const refusals = new Map<string, number>();
  for (const { caller, allowed } of members) {
    if (caller !== undefined && !allowed) refusals.set(caller, (refusals.get(caller) ?? 0) + 1);
  }
  const hasSeveral = new Set(members.map(({ caller }) => caller)).size > 1;
  return {
    admittedAt: timesOf(true),
    refusedAt: timesOf(false),
    refused: hasSeveral
      ? [...refusals]
          .map(([caller, calls]) => ({ caller, calls }))
          .toSorted((one, other) => other.calls - one.calls)
      : [],
  };
}
