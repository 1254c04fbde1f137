import { getTranslations } from 'next-intl/server';
import { OrderCode } from '../_components/order-code';
import { Badge, type BadgeTone } from '../_components/ui/badge';
import { classNames } from '../_components/ui/class-names';
import { Instant } from '../_components/ui/instant';
import type { Order } from '../_trpc/types';
import { HoldActions, HoldCountdown } from './hold-actions';
import { LateQrCode } from './late-qr-code';
import styles from './wallet.module.css';

const tones = {
  reserved: 'wait',
  held: 'wait',
  confirmed: 'good',
  paid: 'good',
  cancelled: 'neutral',
  expired: 'neutral',
} satisfies Record<Order['status'] | 'held', BadgeTone>;

interface Props {
  order: Order;
  title: string;
  priceCents: number;
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** Shows an order: coupon, status, code and actions. The sale page links to its id. */
export async function OrderRow({ order, title, priceCents, renderedAt }: Props) {
  const t = await getTranslations('wallet');
  const { status, code, holdUntil, createdAt } = order;
  const isOver = status === 'cancelled' || status === 'expired';
  const isHeld = status === 'confirmed' && holdUntil !== undefined;
  const state = isHeld ? 'held' : status;
  const isFinal = status === 'paid' || (status === 'confirmed' && !isHeld);
  return (
    <li id={`order-${order.id}`} className={classNames(styles.order, isOver && styles.over)}>
      <div className={styles.words}>
        <span role="status">
          <Badge tone={tones[state]}>{t(`status.${state}`)}</Badge>
        </span>
        <h2 className={styles.title}>{title}</h2>
        {code && isFinal && <OrderCode label={t('code')} code={code} />}
        <p className={styles.hint}>{t(`hint.${state}`)}</p>
        <p className={styles.hint}>
          {t('since')} <Instant at={createdAt} />
        </p>
        {isHeld && (
          <p className={styles.hint}>
            <HoldCountdown until={holdUntil} renderedAt={renderedAt} />
          </p>
        )}
      </div>
      <div className={styles.scan}>
        {code && isFinal && <LateQrCode text={code} label={t('qr', { code })} />}
      </div>
      {holdUntil !== undefined && (
        <HoldActions order={order} priceCents={priceCents} renderedAt={renderedAt} />
      )}
    </li>
  );
}
