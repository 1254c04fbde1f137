import Link from 'next/link';
import { useTranslations } from 'next-intl';
import type { Order, PurchaseReply } from '../_trpc/types';
import { OrderCode } from './order-code';
import { Notice } from './ui/notice';

/** Shows the outcome of an admitted purchase. */
export function PurchaseReplyNote({ reply }: { reply: PurchaseReply }) {
  const t = useTranslations('outcome');
  switch (reply.outcome) {
    case 'accepted':
      return (
        <OrderNote order={reply.order} words={reply.order.status === 'reserved' ? 'reserved' : 'confirmed'} />
      );
    case 'already-bought':
      return <OrderNote order={reply.order} words="alreadyBought" />;
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

interface OrderProps {
  order: Order;
  words: 'reserved' | 'confirmed' | 'alreadyBought';
}

function OrderNote({ order, words }: OrderProps) {
  const t = useTranslations('outcome');
  return (
    <Notice tone="good">
      {t.rich(words, {
        wallet: (text) => (
          <Link prefetch={false} href="/wallet">
            {text}
          </Link>
        ),
      })}
      {order.code && <OrderCode label={t('code')} code={order.code} />}
    </Notice>
  );
}
