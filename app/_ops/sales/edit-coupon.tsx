import { useLocale, useTranslations } from 'next-intl';
import { useState } from 'react';
import type { CouponTerms, OpsCoupon, OpsMerchant } from '../types';
import { type CouponFields, fieldsOf, termsOf } from './coupon-fields';
import { CouponForm } from './coupon-form';
import { useCouponChanges } from './use-coupon-changes';

interface Props {
  coupon: OpsCoupon;
  merchants: OpsMerchant[];
  /** The server's clock. */
  now: number;
  onDone(title: string): void;
  onCancel(): void;
}

/** The fields that cannot change after the start. Stock has its own form. */
const fixedOnceStarted = ['merchantId', 'kind', 'faceValue', 'price', 'stock', 'startsAt'] as const;

/** The input field of the procedure for each form field. */
const termOf = {
  merchantId: 'merchantId',
  kind: 'kind',
  titleEn: 'title',
  titleZh: 'title',
  faceValue: 'faceValueCents',
  price: 'priceCents',
  stock: 'stock',
  startsAt: 'startsAt',
  endsAt: 'endsAt',
} as const satisfies Record<keyof CouponFields, keyof CouponTerms>;

/** Edits a sale. Sends only changed fields, because form text is less precise than the stored values. */
export function EditCoupon({ coupon, merchants, now, onDone, onCancel }: Props) {
  const t = useTranslations('opsSales.coupons');
  const language = useLocale() === 'zh' ? 'zh' : 'en';
  const { update } = useCouponChanges(onDone);
  const [fields] = useState(() => fieldsOf(coupon));
  return (
    <CouponForm
      label={t('editLabel', { title: coupon.title[language] })}
      send={t('save')}
      fields={fields}
      merchants={merchants}
      fixed={now >= coupon.startsAt ? fixedOnceStarted : []}
      isBusy={update.isBusy}
      problem={update.problem}
      onSend={(typed, changed) => {
        const terms = Object.entries(termsOf(typed));
        const sent = terms.filter(([term]) => changed.some((name) => termOf[name] === term));
        update.submit({ id: coupon.id, ...Object.fromEntries(sent) });
      }}
      onCancel={onCancel}
    />
  );
}
