import { useTranslations } from 'next-intl';
import { Outcome } from '../_components/outcome';
import { Notice } from '../_components/ui/notice';
import { useLiveStock } from '../_live/live-provider';
import type { Coupon, Ticket } from '../_trpc/types';
import { type EndReason, endReasonOf } from './ended-ticket';
import styles from './queue.module.css';
import { isUncertain } from './turn';

interface Props {
  ticket: Ticket;
  coupon: Pick<Coupon, 'id' | 'stock'>;
}

/** Shows the viewer's position in the queue, or why the ticket has ended. */
export function TicketNote({ ticket, coupon }: Props) {
  const t = useTranslations('queue');
  if (ticket.state === 'waiting') return <WaitingNote ticket={ticket} coupon={coupon} />;
  const reason = endReasonOf(ticket);
  if (!reason && ticket.state === 'served') return <Outcome variant="confirming" title={t('yourTurn')} />;
  if (!reason) return <Notice>{t('end.left')}</Notice>;
  return (
    <Outcome variant={variants[reason]} title={t(`end.${reason}`)}>
      <p>{t(reason === 'lost' ? 'end.lostText' : 'notCharged')}</p>
      {reason === 'lost' && <JoinHint coupon={coupon} />}
    </Outcome>
  );
}

const variants = {
  'sold-out': 'gone',
  ended: 'gone',
  closed: 'gone',
  banned: 'banned',
  lost: 'refused',
} as const satisfies Record<EndReason, string>;

/** States that the shopper can join again, while the coupon has stock. */
function JoinHint({ coupon }: Pick<Props, 'coupon'>) {
  const t = useTranslations('queue');
  return (useLiveStock(coupon) ?? 0) > 0 && <p>{t('canJoinAgain')}</p>;
}

interface WaitingProps {
  ticket: Extract<Ticket, { state: 'waiting' }>;
  coupon: Props['coupon'];
}

/** The number of a waiting shopper. Screen readers announce it once: later numbers are in a timer. */
function WaitingNote({ ticket: { position, ahead, delayedBy }, coupon }: WaitingProps) {
  const t = useTranslations('queue');
  const left = useLiveStock(coupon);
  return (
    <Outcome variant="held" title={t('joined')}>
      <div role="timer" className={styles.numbers}>
        <p>{t('place', { position, ahead })}</p>
        {left !== undefined && (
          <p>
            {isUncertain({ ahead }, left) ? t('onlyIfOthersLeave', { left, ahead }) : t('left', { left })}
          </p>
        )}
        {delayedBy && <p>{t(`delayed.${delayedBy}`)}</p>}
      </div>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        <p>{t('howText')}</p>
      </details>
    </Outcome>
  );
}
