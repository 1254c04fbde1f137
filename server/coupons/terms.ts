import { AppError } from '../errors';
import type { Localized } from '../trpc/language';
import type { Coupon } from './coupon';

/** What an operator decides of a coupon. Money in cents, instants in epoch ms. */
export interface Terms {
  merchantId: string;
  kind: Coupon['kind'];
  title: Localized;
  faceValueCents: number;
  priceCents: number;
  /** Null for a claim, which has none. */
  stock: number | null;
  startsAt: number;
  endsAt: number;
}

/** What is to change of them; what is absent stays as it is. */
export type TermsChange = { [Term in keyof Terms]?: Terms[Term] | undefined } & {
  /** Pieces more, also while the sale runs. */
  addStock?: number | undefined;
};

/** More than this is a slip of the hand; it also keeps sums within Postgres's integers. */
export const MOST_STOCK = 1_000_000;
export const MOST_CENTS = 100_000_000;

/** What the shoppers of a sale that has begun were told, and what its orders are reckoned by. */
const FIXED_ONCE_STARTED = [
  'merchantId',
  'kind',
  'faceValueCents',
  'priceCents',
  'stock',
  'startsAt',
] as const satisfies (keyof Terms)[];

/** The terms, where they make a sale. Throws BAD_REQUEST with a sentence that begins with the field's name. */
export function checkedTerms(terms: Terms, { now }: { now: number }): Terms {
  const { kind, stock, priceCents, faceValueCents, startsAt, endsAt } = terms;
  if (kind === 'seckill' && stock === null) refuse('stock', 'a seckill needs one');
  if (kind === 'claim' && stock !== null)
    refuse('stock', 'a claim has none; what stops hoarding is its limit');
  if (stock !== null && stock > MOST_STOCK) refuse('stock', `is at most ${MOST_STOCK} in all`);
  if (priceCents > faceValueCents) {
    refuse('priceCents', `a coupon worth ${faceValueCents} cents must not cost more than that`);
  }
  if (endsAt <= startsAt) refuse('endsAt', 'must be after startsAt');
  if (endsAt <= now) refuse('endsAt', 'lies in the past; coupon.close ends a sale');
  return terms;
}

/**
 * The terms after a change. A sale that has begun keeps what its shoppers were told: only its title, its end and, by
 * `addStock`, its stock change then, and nothing does once it has ended. Throws as `checkedTerms`.
 */
export function changedTerms(
  before: Terms,
  change: TermsChange,
  { now, sold }: { now: number; sold: number },
): Terms {
  if (now >= before.endsAt) refuse('id', 'this coupon has ended; create another one');
  const { addStock, ...named } = change;
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const after: Terms = { ...before, ...given };
  if (before.kind === 'seckill' && after.kind === 'claim' && named.stock === undefined) after.stock = null;

  if (now >= before.startsAt) {
    for (const term of FIXED_ONCE_STARTED) {
      if (after[term] === before[term]) continue;
      refuse(
        term,
        term === 'stock'
          ? 'grows by addStock once the sale has begun'
          : 'stays as it is once the sale has begun',
      );
    }
  }
  if (addStock !== undefined) {
    if (named.stock !== undefined) refuse('addStock', 'give either stock or addStock');
    if (after.stock === null) refuse('addStock', 'a claim has no stock');
    else after.stock += addStock;
  }
  if (after.kind !== before.kind && sold > 0) refuse('kind', 'stays as it is once there are orders');
  if (after.stock !== null && after.stock < sold) refuse('stock', `${sold} are sold already`);
  return checkedTerms(after, { now });
}

function refuse(field: keyof TermsChange | 'id', problem: string): never {
  throw new AppError('BAD_REQUEST', `${field}: ${problem}`);
}
