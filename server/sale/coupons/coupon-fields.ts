import { AppError, type FieldProblem } from '../../errors';
import type { Localized } from '../../trpc/context';
import type { Coupon } from '../coupon';

/** The properties of a coupon that an operator sets. Money in cents, instants in epoch ms. */
export interface CouponFields {
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

/** A change of some fields. Absent fields stay. */
export type CouponFieldsChange = { [Field in keyof CouponFields]?: CouponFields[Field] | undefined } & {
  /** Units to add to the stock, also during the sale. */
  addStock?: number | undefined;
};

/** A larger number is a typing error. The limit also keeps sums within Postgres's integers. */
export const MAX_STOCK = 1_000_000;
export const MAX_CENTS = 100_000_000;

/** The fields that shoppers have seen and that orders depend on. */
const FIXED_ONCE_STARTED = [
  'merchantId',
  'kind',
  'faceValueCents',
  'priceCents',
  'stock',
  'startsAt',
] as const satisfies (keyof CouponFields)[];

/** Returns valid fields. Throws BAD_REQUEST with a message that begins with the field's name. */
export function checkCouponFields(fields: CouponFields, { now }: { now: number }): CouponFields {
  const { kind, stock, priceCents, faceValueCents, startsAt, endsAt } = fields;
  if (kind === 'seckill' && stock === null) {
    refuse({ field: 'stock', code: 'needs-stock', text: 'is required for a seckill' });
  }
  if (kind === 'claim' && stock !== null) {
    const text = 'must be absent for a claim; its limit prevents hoarding';
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
  return fields;
}

/**
 * Returns the fields after a change. During a sale only its title, its end and, by `addStock`, its stock can change; after
 * its end nothing can. Throws like `checkCouponFields`.
 */
export function applyCouponFieldsChange(
  before: CouponFields,
  change: CouponFieldsChange,
  { now, sold }: { now: number; sold: number },
): CouponFields {
  if (now >= before.endsAt) {
    refuse({ field: 'id', code: 'ended', text: 'this coupon has ended; create another one' });
  }
  const { addStock, ...named } = change;
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const after: CouponFields = { ...before, ...given };
  if (before.kind === 'seckill' && after.kind === 'claim' && named.stock === undefined) after.stock = null;

  if (now >= before.startsAt) {
    for (const field of FIXED_ONCE_STARTED) {
      if (after[field] === before[field]) continue;
      const text =
        field === 'stock'
          ? 'grows by addStock once the sale has begun'
          : 'stays as it is once the sale has begun';
      refuse({ field, code: 'begun', text });
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
  return checkCouponFields(after, { now });
}

function refuse(problem: FieldProblem & { field: keyof CouponFieldsChange | 'id' }): never {
  throw new AppError('BAD_REQUEST', `${problem.field}: ${problem.text}`, { problem });
}
