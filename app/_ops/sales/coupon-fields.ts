import type { CouponTerms, OpsCoupon } from '../types';

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

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * Returns the form of an existing coupon: prices in currency units, times in the local time zone. The stock is empty if
 * the coupon has none.
 */
export function fieldsOf(coupon: OpsCoupon): CouponFields {
  return {
    merchantId: coupon.merchantId,
    kind: coupon.kind,
    titleEn: coupon.title.en,
    titleZh: coupon.title.zh,
    faceValue: inUnits(coupon.faceValueCents),
    price: inUnits(coupon.priceCents),
    stock: coupon.stock ? String(coupon.stock.total) : '',
    startsAt: inLocalTime(coupon.startsAt),
    endsAt: inLocalTime(coupon.endsAt),
  };
}

/** Returns the fields of a new coupon: a seckill that opens in five minutes for a day. */
export function blankFields({ merchantId, now }: { merchantId: string; now: number }): CouponFields {
  const startsAt = Math.ceil(now / minuteMs) * minuteMs + 5 * minuteMs;
  return {
    merchantId,
    kind: 'seckill',
    ...{ titleEn: '', titleZh: '', faceValue: '', price: '', stock: '' },
    startsAt: inLocalTime(startsAt),
    endsAt: inLocalTime(startsAt + dayMs),
  };
}

/** Converts valid fields to the input of the procedures. A claim coupon has no stock. */
export function termsOf(fields: CouponFields): CouponTerms {
  const { merchantId, kind, titleEn, titleZh, stock } = fields;
  return {
    ...{ merchantId, kind },
    title: { en: titleEn, zh: titleZh },
    faceValueCents: inCents(fields.faceValue),
    priceCents: inCents(fields.price),
    ...(kind === 'seckill' && { stock: Number(stock) }),
    startsAt: Date.parse(fields.startsAt),
    endsAt: Date.parse(fields.endsAt),
  };
}

/** Parses money: `12.5` and `12,5` are 1250. Returns NaN for anything else. */
export function inCents(text: string): number {
  const [, units, , part = ''] = /^(\d{1,9})([.,](\d{1,2}))?$/.exec(text.trim()) ?? [];
  return units === undefined ? Number.NaN : Number(units) * 100 + Number(part.padEnd(2, '0'));
}

/** Formats cents: 1250 is `12.50`, 1200 is `12`. */
function inUnits(cents: number): string {
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2);
}

/** Formats an instant for `datetime-local`: the browser's wall clock, to the minute. */
function inLocalTime(instant: number): string {
  const date = new Date(instant);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day}T${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
