import type { Language } from '../../trpc/context';
import type { CardSide } from './run-card';
import type { CardRun } from './run-naive';

/** A side of a card, with its run. */
export interface FactSide {
  side: CardSide;
  run: CardRun;
}

/** The numbers of a side that a fact can name. */
const numbers = {
  admitted: ({ side }) => side.admitted,
  refused: ({ side }) => side.refused,
  worstWindow: ({ side }) => side.worstWindow,
  figure: ({ side }) => side.figure.value,
  keys: ({ run }) => run.measured.keyNames.length,
  keysLeft: ({ run }) => run.measured.keysLeft,
} satisfies Record<string, (side: FactSide) => number>;

/**
 * Fills in the numbers of a fact, in the format of the language. `{naive.admitted}` becomes the admitted calls of the faulty
 * limiter. The sides are `naive`, `product` and `third`. Throws for another name.
 */
export function fillFact(
  fact: string,
  { language, sides }: { language: Language; sides: Readonly<Record<string, FactSide | undefined>> },
): string {
  const format = new Intl.NumberFormat(language);
  return fact.replace(/\{(\w+)\.(\w+)\}/g, (name, side: string, number: string) => {
    const named = sides[side];
    const read = Object.entries(numbers).find(([known]) => known === number)?.[1];
    if (!named || !read) throw new Error(`a fact of a card names ${name}, which is no number of a side`);
    return format.format(read(named));
  });
}
