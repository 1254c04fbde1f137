import { useTranslations } from 'next-intl';
import { useEffect, useId } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { Choice, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { formatMoney } from '../../_i18n/numbers';
import { type FormProblem, toFormProblem, useFieldProblems } from '../form-problems';
import type { CouponInput, OpsCoupon, OpsMerchant, OpsMerchantPage } from '../types';
import { MerchantField } from './merchant-field';
import styles from './sales.module.css';

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

type FieldName = keyof CouponFields;

interface Props {
  label: string;
  /** The text of the submit button. */
  send: string;
  fields: CouponFields;
  /** The first page of all merchants. */
  merchants: OpsMerchantPage;
  /** The merchant in `fields`. Absent in a shop without merchants. */
  merchant: OpsMerchant | undefined;
  /** The fields that can no longer change, because the sale has started. */
  fixed?: readonly FieldName[];
  /** The server's clock. */
  now: number;
  isBusy: boolean;
  problem: FormProblem | undefined;
  onSend(input: CouponInput): void;
  onCancel(): void;
}

const nothing: readonly FieldName[] = [];

/** The form fields by the field names of the procedures. */
const sentAs = {
  merchantId: 'merchantId',
  kind: 'kind',
  'title.en': 'titleEn',
  'title.zh': 'titleZh',
  faceValueCents: 'faceValue',
  priceCents: 'price',
  stock: 'stock',
  startsAt: 'startsAt',
  endsAt: 'endsAt',
} as const satisfies Record<string, FieldName>;

const sentNames = Object.keys(sentAs);

type TextName = Exclude<FieldName, 'kind' | 'merchantId'>;

const kindOf = {
  titleEn: 'text',
  titleZh: 'text',
  faceValue: 'money',
  price: 'money',
  stock: 'count',
  startsAt: 'instant',
  endsAt: 'instant',
} as const satisfies Record<TextName, string>;

/** Checks that a field has a value of its kind. The server validates the meaning. */
const isFilled = {
  text: (typed: string) => typed.trim() !== '',
  money: (typed: string) => Number.isFinite(parseCents(typed)),
  count: (typed: string) => /^\d+$/.test(typed.trim()),
  instant: (typed: string) => Number.isFinite(Date.parse(typed)),
} as const;

/** The longest title that the server accepts, in characters. */
const MAX_TITLE_LENGTH = 80;

function isTooLong(title: string): boolean {
  return title.normalize('NFC').trim().length > MAX_TITLE_LENGTH;
}

/** The bounds in the messages of problems. */
const noBounds = { least: '', most: '' };

/** Returns the problem of a filled field, as the server would: so all problems of a form appear at once. */
export function findConflict(
  name: FieldName,
  { title, priceCents, faceValueCents, stock, startsAt, endsAt, now }: CouponInput & { now: number },
) {
  if ((name === 'titleEn' && isTooLong(title.en)) || (name === 'titleZh' && isTooLong(title.zh)))
    return { code: 'too-long', values: { ...noBounds, most: String(MAX_TITLE_LENGTH) } } as const;
  if (name === 'price' && priceCents > faceValueCents)
    return { code: 'over-worth', values: { ...noBounds, most: formatMoney(faceValueCents) } } as const;
  if (name === 'faceValue' && faceValueCents === 0)
    return { code: 'too-small', values: { ...noBounds, least: formatMoney(1) } } as const;
  if (name === 'stock' && stock === 0)
    return { code: 'too-small', values: { ...noBounds, least: '1' } } as const;
  if (name !== 'endsAt') return undefined;
  if (endsAt <= now) return { code: 'end-in-past', values: noBounds } as const;
  return endsAt <= startsAt ? ({ code: 'end-before-start', values: noBounds } as const) : undefined;
}

/** A form for a coupon: merchant, kind, title, prices, times and stock. Shows all problems at once, next to their fields. */
export function CouponForm(props: Props) {
  const {
    label,
    send,
    fields,
    merchants,
    merchant,
    fixed = nothing,
    now,
    isBusy,
    problem,
    onSend,
    onCancel,
  } = props;
  const t = useTranslations('opsSales.form');
  const tProblem = useTranslations('ops.fieldProblem');
  const kindName = useId();
  const { control, register, handleSubmit, setError, setFocus, formState } = useForm<CouponFields>({
    defaultValues: fields,
  });
  const kind = useWatch({ control, name: 'kind' });
  const { errors } = formState;
  const found = useFieldProblems(problem, sentNames);
  const formProblem = toFormProblem(problem, found?.rest);

  useEffect(() => setFocus('titleEn'), [setFocus]);

  useEffect(() => {
    for (const [sent, name] of Object.entries(sentAs)) {
      const message = found?.fields[sent];
      if (message) setError(name, { message });
    }
  }, [found, setError]);

  const text = (name: TextName) => ({
    label: t(name),
    error: errors[name]?.message ?? '',
    readOnly: fixed.includes(name),
    ...register(name, {
      validate(typed, all) {
        if (!isFilled[kindOf[name]](typed)) return t(`not.${kindOf[name]}`);
        const found = findConflict(name, { ...toCouponInput(all), now });
        return found === undefined || fixed.includes(name) || tProblem(found.code, found.values);
      },
    }),
  });

  return (
    <form
      className={layout.stack3}
      noValidate
      onSubmit={handleSubmit((typed) => onSend(toCouponInput(typed)))}
      aria-label={label}
    >
      <div className={styles.fields}>
        <TextField {...text('titleEn')} lang="en" />
        <TextField {...text('titleZh')} lang="zh" />
        {!fixed.includes('kind') && (
          <Controller
            control={control}
            name="kind"
            render={({ field: { value, onChange } }) => (
              <Choice<CouponFields['kind']>
                legend={t('kind')}
                name={kindName}
                value={value}
                options={[
                  { value: 'seckill', label: t('seckill') },
                  { value: 'claim', label: t('claim') },
                ]}
                onChange={onChange}
              />
            )}
          />
        )}
        {!fixed.includes('merchantId') && (
          <Controller
            control={control}
            name="merchantId"
            render={({ field: { onChange } }) => (
              <MerchantField first={merchants} selected={merchant} onChange={onChange} />
            )}
          />
        )}
        {kind === 'seckill' && <TextField {...text('stock')} inputMode="numeric" />}
        <TextField {...text('price')} inputMode="decimal" />
        <TextField {...text('faceValue')} inputMode="decimal" />
        <TextField {...text('startsAt')} type="datetime-local" />
        <TextField {...text('endsAt')} type="datetime-local" />
      </div>
      <div role="status" className={layout.hiddenIfEmpty}>
        {formProblem && <ProblemNote problem={formProblem} here="/ops/sales" />}
      </div>
      <div className={classNames(layout.row2, layout.formButtons)}>
        <Button type="submit" variant="primary" busy={isBusy}>
          {send}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
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
