import { useTranslations } from 'next-intl';
import { useDurations } from '../_i18n/use-durations';
import { useIsBlocked, useLiveStock, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { Ticket } from '../_trpc/types';
import styles from './queue.module.css';

type WaitingTicket = Pick<Extract<Ticket, { state: 'waiting' }>, 'couponId' | 'ahead'>;

/** Returns whether those ahead of a ticket can take all coupons that are left, so that its turn is not certain. */
export function isUncertain({ ahead }: Pick<WaitingTicket, 'ahead'>, left: number | undefined): boolean {
  return left !== undefined && ahead >= left;
}

const QUEUED_POLICY = 'coupon.seckill';

interface Props {
  ticket: Ticket;
  /** The server's clock at rendering. Default: the ticket was read by the browser. */
  renderedAt?: number;
}

/** Counts down to the bound of a turn. It promises none that depends on others, or on an operator. */
export function Turn({ ticket, renderedAt }: Props) {
  const t = useTranslations('queue');
  const { wait } = useDurations();
  const left = useLiveStock({ id: ticket.couponId, stock: null });
  const seconds = useCountdown({
    clock: useServerClock(renderedAt),
    until: ticket.state === 'waiting' ? ticket.turnAt : undefined,
    ...(renderedAt !== undefined && { initial: renderedAt }),
  });

  const isBlocked = useIsBlocked(QUEUED_POLICY);

  function words(): string {
    if (isBlocked) return t('onHold');
    if (ticket.state === 'waiting' && isUncertain(ticket, left)) {
      return seconds > 0 ? t('turnIfLeft', { time: wait(seconds) }) : t('turnOnlyIfLeft');
    }
    return seconds > 0 ? t('turnIn', { time: wait(seconds) }) : t('turnNow');
  }

  return (
    <p className={styles.turn} role="timer">
      {words()}
    </p>
  );
}
