import type { CouponInput, OpsCoupon } from '../types';

/** A coupon as form text: money in euros, instants as `datetime-local` values. */
export interface CouponFields {
  merchantId: string;
  kind: OpsCoupon['kind'];
  titleEn: string;
  titleZh: string;
  faceValue: string;
  price: string;
  stock: string;
  startsAt: string;
  endsAt: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the form of an existing coupon: prices in euros, times in the local time zone. The stock is empty if
 * the coupon has none.
 */
export function toFields(coupon: OpsCoupon): CouponFields {
  return {
    merchantId: coupon.merchantId,
    kind: coupon.kind,
    titleEn: coupon.title.en,
    titleZh: coupon.title.zh,
    faceValue: formatUnits(coupon.faceValueCents),
    price: formatUnits(coupon.priceCents),
    stock: coupon.stock ? String(coupon.stock.total) : '',
    startsAt: formatLocalTime(coupon.startsAt),
    endsAt: formatLocalTime(coupon.endsAt),
  };
}

/** Returns the fields of a new coupon: a seckill that opens in five minutes for a day. */
export function createBlankFields({ merchantId, now }: { merchantId: string; now: number }): CouponFields {
  const startsAt = Math.ceil(now / MINUTE_MS) * MINUTE_MS + 5 * MINUTE_MS;
  return {
    merchantId,
    kind: 'seckill',
    ...{ titleEn: '', titleZh: '', faceValue: '', price: '', stock: '' },
    startsAt: formatLocalTime(startsAt),
    endsAt: formatLocalTime(startsAt + DAY_MS),
  };
}

/** Converts valid fields to the input of the procedures. A claim coupon has no stock. */
export function toCouponInput(fields: CouponFields): CouponInput {
  const { merchantId, kind, titleEn, titleZh, stock } = fields;
  return {
    ...{ merchantId, kind },
    title: { en: titleEn, zh: titleZh },
    faceValueCents: parseCents(fields.faceValue),
    priceCents: parseCents(fields.price),
    ...(kind === 'seckill' && { stock: Number(stock) }),
    startsAt: Date.parse(fields.startsAt),
    endsAt: Date.parse(fields.endsAt),
  };
}

/** Parses money: `12.5` and `12,5` are 1250. Returns NaN for anything else. */
export function parseCents(text: string): number {
  const [, units, , part = ''] = /^(\d{1,9})([.,](\d{1,2}))?$/.exec(text.trim()) ?? [];
  return units === undefined ? Number.NaN : Number(units) * 100 + Number(part.padEnd(2, '0'));
}

/** Formats cents: 1250 is `12.50`, 1200 is `12`. */
function formatUnits(cents: number): string {
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2);
}

/** Formats an instant for `datetime-local`: the browser's wall clock, to the minute. */
function formatLocalTime(instant: number): string {
  const date = new Date(instant);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day}T${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
