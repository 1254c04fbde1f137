import { getTranslations } from 'next-intl/server';
import { OrderCode } from '../_components/order-code';
import { Badge, type BadgeTone } from '../_components/ui/badge';
import { Instant } from '../_components/ui/instant';
import type { Order } from '../_trpc/types';
import styles from './order-row.module.css';

const tones = {
  reserved: 'sand',
  confirmed: 'leaf',
  paid: 'leaf',
  cancelled: 'neutral',
  expired: 'neutral',
} satisfies Record<Order['status'], BadgeTone>;

/** One thing that the shopper got, and how far it has come. */
export async function OrderRow({ order, title }: { order: Order; title: string }) {
  const t = await getTranslations('wallet');
  return (
    <li className={styles.order}>
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <Badge tone={tones[order.status]}>{t(`status.${order.status}`)}</Badge>
      </div>
      <p className={styles.hint}>{t(`hint.${order.status}`)}</p>
      {order.code && <OrderCode label={t('code')} code={order.code} />}
      <p className={styles.hint}>
        {t('bought')} <Instant at={order.createdAt} />
      </p>
    </li>
  );
}
