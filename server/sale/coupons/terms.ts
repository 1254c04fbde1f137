import { AppError, type FieldProblem } from '../../errors';
import type { Localized } from '../../trpc/language';
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
export const MAX_STOCK = 1_000_000;
export const MAX_CENTS = 100_000_000;

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
export function checkTerms(terms: Terms, { now }: { now: number }): Terms {
  const { kind, stock, priceCents, faceValueCents, startsAt, endsAt } = terms;
  if (kind === 'seckill' && stock === null) {
    refuse({ field: 'stock', code: 'needs-stock', text: 'a seckill needs one' });
  }
  if (kind === 'claim' && stock !== null) {
    const text = 'a claim has none; what stops hoarding is its limit';
    refuse({ field: 'stock', code: 'no-stock', text });
  }
  if (stock !== null && stock > MAX_STOCK) {
    const text = `is at most ${MAX_STOCK} in all`;
    refuse({ field: 'stock', code: 'over-total', most: MAX_STOCK, text });
  }
  if (priceCents > faceValueCents) {
    const text = `a coupon worth ${faceValueCents} cents must not cost more than that`;
    refuse({ field: 'priceCents', code: 'over-worth', most: faceValueCents, text });
  }
  if (endsAt <= startsAt)
    refuse({ field: 'endsAt', code: 'end-before-start', text: 'must be after startsAt' });
  if (endsAt <= now) {
    refuse({ field: 'endsAt', code: 'end-in-past', text: 'lies in the past; coupon.close ends a sale' });
  }
  return terms;
}

/**
 * The terms after a change. A sale that has begun keeps what its shoppers were told: only its title, its end and, by
 * `addStock`, its stock change then, and nothing does once it has ended. Throws as `checkedTerms`.
 */
export function applyTermsChange(
  before: Terms,
  change: TermsChange,
  { now, sold }: { now: number; sold: number },
): Terms {
  if (now >= before.endsAt) {
    refuse({ field: 'id', code: 'ended', text: 'this coupon has ended; create another one' });
  }
  const { addStock, ...named } = change;
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const after: Terms = { ...before, ...given };
  if (before.kind === 'seckill' && after.kind === 'claim' && named.stock === undefined) after.stock = null;

  if (now >= before.startsAt) {
    for (const term of FIXED_ONCE_STARTED) {
      if (after[term] === before[term]) continue;
      const text =
        term === 'stock'
          ? 'grows by addStock once the sale has begun'
          : 'stays as it is once the sale has begun';
      refuse({ field: term, code: 'begun', text });
    }
  }
  if (addStock !== undefined) {
    if (named.stock !== undefined) {
      refuse({ field: 'addStock', code: 'invalid', text: 'give either stock or addStock' });
    }
    if (after.stock === null) refuse({ field: 'addStock', code: 'no-stock', text: 'a claim has no stock' });
    else after.stock += addStock;
  }
  if (after.kind !== before.kind && sold > 0) {
    refuse({ field: 'kind', code: 'ordered', text: 'stays as it is once there are orders' });
  }
  if (after.stock !== null && after.stock < sold) {
    refuse({ field: 'stock', code: 'under-sold', least: sold, text: `${sold} are sold already` });
  }
  return checkTerms(after, { now });
}

function refuse(problem: FieldProblem & { field: keyof TermsChange | 'id' }): never {
  throw new AppError('BAD_REQUEST', `${problem.field}: ${problem.text}`, { problem });
}
