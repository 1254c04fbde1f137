import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dialog } from '../../_components/ui/dialog';
import { useLanguage } from '../../_i18n/language';
import type { OpsMerchant } from '../types';
import { AddStock, CloseSale, CreateCoupon, EditCoupon } from './coupon-actions';
import type { OpenDialog } from './coupons-section';

interface Props {
  /** `undefined` while no dialog is open. */
  open: OpenDialog | undefined;
  merchants: OpsMerchant[];
  /** The server's clock. */
  now: number;
  /** Called with a sentence about the result. */
  onDone(words: string): void;
  onClose(): void;
}

/** The dialogs that create, edit, restock and close a sale. */
export default function SaleDialogs({ open, merchants, now, onDone, onClose }: Props) {
  const t = useTranslations('opsSales');
  const language = useLanguage();
  // The last dialog stays mounted while it closes, so that the focus returns to its button.
  const [latest, setLatest] = useState(open);
  if (open && open !== latest) setLatest(open);
  const shown = open ?? latest;
  if (!shown) return null;
  const coupon = shown.what === 'create' ? undefined : shown.coupon;
  const isClosing = shown.what === 'close';
  const isUpcoming = coupon !== undefined && now < coupon.startsAt;

  function titleOf(): string {
    if (!coupon) return t('coupons.create');
    const key = shown?.what === 'stock' ? 'coupons.stockLabel' : 'coupons.editLabel';
    return t(key, { title: coupon.title[language] });
  }

  return (
    <>
      <Dialog title={titleOf()} isOpen={open !== undefined && !isClosing} onClose={onClose}>
        {shown.what === 'create' && (
          <CreateCoupon
            merchants={merchants}
            now={now}
            onDone={(title) => onDone(t('coupons.created', { title }))}
            onCancel={onClose}
          />
        )}
        {coupon && shown.what === 'edit' && (
          <EditCoupon
            coupon={coupon}
            merchants={merchants}
            now={now}
            onDone={(title) => onDone(t('coupons.changed', { title }))}
            onCancel={onClose}
          />
        )}
        {coupon && shown.what === 'stock' && (
          <AddStock
            coupon={coupon}
            onDone={(title, pieces) => onDone(t('coupons.restocked', { title, pieces }))}
            onCancel={onClose}
          />
        )}
      </Dialog>
      {coupon && (
        <CloseSale
          coupon={coupon}
          isUpcoming={isUpcoming}
          isOpen={open !== undefined && isClosing}
          onDone={(title) => onDone(t(isUpcoming ? 'coupons.cancelled' : 'coupons.closed', { title }))}
          onCancel={onClose}
        />
      )}
    </>
  );
}
