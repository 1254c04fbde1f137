import type { CouponTerms, OpsCoupon } from '../types';

/** A coupon as it stands in a form: money in the currency's own unit, instants as the browser's fields have them. */
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

/** What a form for a new coupon begins with: a seckill that opens in five minutes and lasts for a day. */
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

/** What the procedures are told, of fields that each say something. A claim has no stock. */
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

/** `12.5` and `12,5` are 1250; NaN where a text is no amount of money. */
export function inCents(text: string): number {
  const [, units, , part = ''] = /^(\d{1,9})([.,](\d{1,2}))?$/.exec(text.trim()) ?? [];
  return units === undefined ? Number.NaN : Number(units) * 100 + Number(part.padEnd(2, '0'));
}

/** 1250 is `12.50`, and 1200 is `12`. */
function inUnits(cents: number): string {
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2);
}

/** As `datetime-local` has it: the wall clock of who looks at it, to the minute. */
function inLocalTime(instant: number): string {
  const date = new Date(instant);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day}T${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
