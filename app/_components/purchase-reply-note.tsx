import Link from 'next/link';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import type { Order, PurchaseReply } from '../_trpc/types';
import { OrderCode } from './order-code';
import { Notice } from './ui/notice';

/** What the sale answered to a click that the gate let through. */
export function PurchaseReplyNote({ reply }: { reply: PurchaseReply }) {
  const t = useTranslations('outcome');
  switch (reply.outcome) {
    case 'accepted':
      return (
        <OrderNote order={reply.order}>
          {t(reply.order.status === 'reserved' ? 'reserved' : 'confirmed')}
        </OrderNote>
      );
    case 'already-bought':
      return <OrderNote order={reply.order}>{t('alreadyBought')}</OrderNote>;
    case 'sold-out':
      return <Notice tone="over">{t('soldOut')}</Notice>;
    case 'not-started':
      return <Notice tone="waiting">{t('notStarted')}</Notice>;
    case 'ended':
      return <Notice tone="over">{t('ended')}</Notice>;
    case 'paused':
      return <Notice tone="paused">{t('paused')}</Notice>;
  }
}

function OrderNote({ order, children }: { order: Order; children: ReactNode }) {
  const t = useTranslations('outcome');
  return (
    <Notice tone="good">
      {children} <Link href="/wallet">{t('inWallet')}</Link>
      {order.code && <OrderCode label={t('code')} code={order.code} />}
    </Notice>
  );
}
