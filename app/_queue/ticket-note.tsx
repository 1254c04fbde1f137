import { useTranslations } from 'next-intl';
import { Outcome } from '../_components/outcome';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { formatCount } from '../_i18n/numbers';
import { useDurations } from '../_i18n/use-durations';
import { useIsBlocked, useLiveStock, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { Coupon, Ticket } from '../_trpc/types';
import styles from './queue.module.css';
import { type EndReason, endReasonOf } from './tickets';

interface Props {
  ticket: Ticket;
  coupon: Pick<Coupon, 'id' | 'stock' | 'priceCents'>;
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

/** The most places that are drawn. */
const MAX_DRAWN_PLACES = 12;

/**
 * The place of a waiting shopper, and what happens next. Screen readers announce it once: later numbers are in a timer. The
 * countdown to the turn is next to the button.
 */
function WaitingNote({ ticket: { position, ahead, delayedBy }, coupon, state }: WaitingProps) {
  const t = useTranslations('queue');
  const left = useLiveStock(coupon);
  return (
    <div className={classNames(layout.waitFill, layout.stack3, styles.room)}>
      <strong className={styles.roomTitle}>{t('joined')}</strong>
      <div role="timer" className={classNames(layout.line3, layout.figures)}>
        <span aria-hidden="true" className={styles.position}>
          {formatCount(position)}
        </span>
        <div className={layout.stack1}>
          <div aria-hidden="true" className={styles.places}>
            {Array.from({ length: Math.min(position, MAX_DRAWN_PLACES) }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the dots are equal
              <span key={index} />
            ))}
          </div>
          <p>{t('place', { position, ahead })}</p>
          {left !== undefined && (
            <p>
              {isUncertain({ ahead }, left) ? t('onlyIfOthersLeave', { left, ahead }) : t('left', { left })}
            </p>
          )}
          {state === 'paused' && <p>{t('paused')}</p>}
          {delayedBy && <p>{t(`delayed.${delayedBy}`)}</p>}
        </div>
      </div>
      <ol className={styles.steps}>
        <li>{t('steps.turn')}</li>
        <li>{t(coupon.priceCents > 0 ? 'steps.pay' : 'steps.free')}</li>
      </ol>
      <p className={layout.strong}>{t('steps.close')}</p>
      <details className={styles.how}>
        <summary>{t('how')}</summary>
        <p>{t('howText')}</p>
      </details>
    </div>
  );
}

type WaitingTicket = Pick<Extract<Ticket, { state: 'waiting' }>, 'couponId' | 'ahead'>;

/** Returns whether those ahead of a ticket can take all coupons that are left, so that its turn is not certain. */
function isUncertain({ ahead }: Pick<WaitingTicket, 'ahead'>, left: number | undefined): boolean {
  return left !== undefined && ahead >= left;
}

const QUEUED_POLICY = 'coupon.seckill';

/** Returns the stock of a coupon in the form of a list. */
export function toStock(left: number | undefined): { remaining: number } | null {
  return left === undefined ? null : { remaining: left };
}

interface TurnProps {
  ticket: Ticket;
  /** The stock of its coupon at rendering. Default: unknown. */
  left?: number | undefined;
  /** The server's clock at rendering. Default: the ticket was read by the browser. */
  renderedAt?: number;
}

/** Counts down to the bound of a turn. It promises none that depends on others, or on an operator. */
export function Turn({ ticket, left: rendered, renderedAt }: TurnProps) {
  const t = useTranslations('queue');
  const { wait } = useDurations();
  const left = useLiveStock({ id: ticket.couponId, stock: toStock(rendered) });
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
    <p className={classNames(layout.figures, layout.strong, styles.turn)} role="timer">
      {words()}
    </p>
  );
}
