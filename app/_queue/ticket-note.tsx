import { useTranslations } from 'next-intl';
import { Outcome } from '../_components/outcome';
import { Notice } from '../_components/ui/status';
import { useLiveStock } from '../_live/live-provider';
import type { Coupon, Ticket } from '../_trpc/types';
import { type EndReason, endReasonOf } from './ended-ticket';
import styles from './queue.module.css';
import { isUncertain } from './turn';

interface Props {
  ticket: Ticket;
  coupon: Pick<Coupon, 'id' | 'stock'>;
  /** The present state of the coupon. */
  state: Coupon['state'];
}

/** Shows the viewer's position in the queue, or why the ticket has ended. */
export function TicketNote({ ticket, coupon, state }: Props) {
  const t = useTranslations('queue');
  if (ticket.state === 'waiting') return <WaitingNote {...{ ticket, coupon, state }} />;
  const reason = endReasonOf(ticket);
  if (!reason && ticket.state === 'served') return <Outcome variant="confirming" title={t('yourTurn')} />;
  if (!reason) return <Notice>{t('end.left')}</Notice>;
  return (
    <Outcome variant={variants[reason]} title={t(`end.${reason}`)}>
      {reason === 'lost' ? (
        <>
          <p>{t(state === 'ended' ? 'end.lostOver' : 'end.lostText')}</p>
          {state === 'live' && <p>{t('canJoinAgain')}</p>}
        </>
      ) : (
        <>
          <p>{t('notCharged')}</p>
          {/* Stock has come back, of an order that was cancelled or not paid. */}
          {reason === 'sold-out' && state === 'live' && <p>{t('onSaleAgain')}</p>}
        </>
      )}
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

interface WaitingProps {
  ticket: Extract<Ticket, { state: 'waiting' }>;
  coupon: Props['coupon'];
  state: Coupon['state'];
}

/** The number of a waiting shopper. Screen readers announce it once: later numbers are in a timer. */
function WaitingNote({ ticket: { position, ahead, delayedBy }, coupon, state }: WaitingProps) {
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
        {state === 'paused' && <p>{t('paused')}</p>}
        {delayedBy && <p>{t(`delayed.${delayedBy}`)}</p>}
      </div>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        <p>{t('howText')}</p>
      </details>
    </Outcome>
  );
}
