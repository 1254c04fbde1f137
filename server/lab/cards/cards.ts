import type { RunExperiment } from '../../experiments/experiment';
import type { Language } from '../../trpc/context';
import { anonymous } from './anonymous';
import { banAgain } from './ban-again';
import { bucketUnits } from './bucket-units';
import type { Card, CardText } from './card';
import { chosenKey } from './chosen-key';
import { countToNow } from './count-to-now';
import { crossSlot } from './cross-slot';
import { doubleBurst } from './double-burst';
import { expiryOnSuccess } from './expiry-on-success';
import { failuresCharged } from './failures-charged';
import { fillFact } from './fill-fact';
import { fourCommands } from './four-commands';
import { getThenIncr } from './get-then-incr';
import { lostState } from './lost-state';
import { type MeasuredFigures, measuredFigures } from './measured-figures';
import { neverDrains } from './never-drains';
import { nodeClock } from './node-clock';
import { onePlan } from './one-plan';
import { pulseStarves } from './pulse-starves';
import { randomMember } from './random-member';
import { redisDown } from './redis-down';
import { type CardSide, runCard, toCardSide } from './run-card';
import type { CardRun } from './run-naive';
import { seededMember } from './seeded-member';
import { selfExtendingBlock } from './self-extending-block';
import { sharedKey } from './shared-key';
import { timestampMember } from './timestamp-member';
import { unsharedLimits } from './unshared-limits';
import { warningAdmits } from './warning-admits';
import { windowInFlight } from './window-in-flight';
import { zombieKeys } from './zombie-keys';

/** The cards by id, in the order of the page. */
export const cards = {
  'four-commands': fourCommands,
  'get-then-incr': getThenIncr,
  'timestamp-member': timestampMember,
  'seeded-member': seededMember,
  'random-member': randomMember,
  'double-burst': doubleBurst,
  'self-extending-block': selfExtendingBlock,
  'expiry-on-success': expiryOnSuccess,
  'node-clock': nodeClock,
  'count-to-now': countToNow,
  'window-in-flight': windowInFlight,
  'bucket-units': bucketUnits,
  'never-drains': neverDrains,
  'lost-state': lostState,
  'pulse-starves': pulseStarves,
  'chosen-key': chosenKey,
  anonymous,
  'shared-key': sharedKey,
  'one-plan': onePlan,
  'unshared-limits': unsharedLimits,
  'zombie-keys': zombieKeys,
  'cross-slot': crossSlot,
  'ban-again': banAgain,
  'warning-admits': warningAdmits,
  'redis-down': redisDown,
  'failures-charged': failuresCharged,
} satisfies Record<string, Card>;

export type CardId = keyof typeof cards;
export const cardIds = Object.keys(cards) as [CardId, ...CardId[]];

/** The texts of a card in one language, and its measured figures. */
export interface CardSummary extends Omit<CardText, 'fact'>, Pick<Card, 'group'> {
  id: CardId;
  figures: MeasuredFigures;
}

/** Lists the cards with their texts in a language. */
export function listCards(language: Language): CardSummary[] {
  return cardIds.map((id) => {
    const { group, text }: Card = cards[id];
    const { fact: _, ...texts } = text[language];
    return { id, group, figures: measuredFigures[id], ...texts };
  });
}

/** The result of a card: the faulty limiter and the product under the same load. */
export interface Mistake {
  mistake: CardId;
  limit: number;
  windowMs: number;
  /** The claim of a tutorial and the result of this run, in the caller's language. */
  measured: string;
  naive: CardSide;
  product: CardSide;
  /** Null for a card with two sides. */
  third: CardSide | null;
}

export interface MistakeInput {
  mistake: CardId;
  language: Language;
  signal?: AbortSignal | undefined;
}

/** Creates the function that runs a card on Redis. */
export function createShowMistake({ runExperiment }: { runExperiment: RunExperiment }) {
  return function showMistake({ mistake, language, signal }: MistakeInput): Promise<Mistake> {
    const card: Card = cards[mistake];
    return runExperiment({ signal }, async (experiment) => {
      const runs = await runCard(experiment, card);
      const toSide = (run: CardRun) => ({ run, side: toCardSide(run, runs.product, card) });
      const sides = {
        naive: toSide(runs.naive),
        product: toSide(runs.product),
        third: runs.third && toSide(runs.third),
      };
      const { limit, windowMs, text } = card;
      return {
        ...{ mistake, limit, windowMs, naive: sides.naive.side, product: sides.product.side },
        third: sides.third?.side ?? null,
        measured: fillFact(text[language].fact, { language, sides }),
      };
    });
  };
}
