'use client';

import { useTranslations } from 'next-intl';
import { Panel } from '../_components/ui/panel';
import { useDurations } from '../_i18n/use-durations';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { Ticket } from '../_trpc/types';
import styles from './queue.module.css';

type WaitingTicket = Extract<Ticket, { state: 'waiting' }>;

interface Props {
  /** Waiting tickets with the titles of their coupons. */
  waiting: readonly { ticket: WaitingTicket; title: string }[];
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** Lists the waiting tickets of the viewer above the orders of the wallet. */
export function WaitingTickets({ waiting, renderedAt }: Props) {
  const t = useTranslations('queue');
  return (
    <section aria-label={t('walletTitle')} className={styles.wallet}>
      <Panel>
        <h2 className={styles.walletTitle}>{t('walletTitle')}</h2>
        <ul className={styles.list}>
          {waiting.map(({ ticket, title }) => (
            <li key={ticket.ticketId} className={styles.item}>
              <strong>{title}</strong>
              <span>{t('place', { position: ticket.position, ahead: ticket.ahead })}</span>
              <TurnTimer turnAt={ticket.turnAt} renderedAt={renderedAt} />
            </li>
          ))}
        </ul>
        <p className={styles.walletText}>{t('walletText')}</p>
      </Panel>
    </section>
  );
}

function TurnTimer({ turnAt, renderedAt }: { turnAt: number; renderedAt: number }) {
  const t = useTranslations('queue');
  const { wait } = useDurations();
  const seconds = useCountdown({ clock: useServerClock(renderedAt), until: turnAt, initial: renderedAt });
  return (
    <span role="timer" className={styles.turn}>
      {seconds > 0 ? t('turnIn', { time: wait(seconds) }) : t('turnNow')}
    </span>
  );
}
