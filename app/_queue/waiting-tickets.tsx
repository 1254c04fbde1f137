'use client';

import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useId, useTransition } from 'react';
import { Button } from '../_components/ui/button';
import { Link } from '../_components/ui/link';
import { Panel } from '../_components/ui/panel';
import { useDurations } from '../_i18n/use-durations';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { Ticket } from '../_trpc/types';
import styles from './queue.module.css';
import { useLeave } from './use-leave';

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
            <WaitingItem key={ticket.ticketId} ticket={ticket} title={title} renderedAt={renderedAt} />
          ))}
        </ul>
        <p className={styles.walletText}>{t('walletText')}</p>
      </Panel>
    </section>
  );
}

interface ItemProps {
  ticket: WaitingTicket;
  title: string;
  renderedAt: number;
}

/** A waiting ticket, which leads to its coupon and can be left. */
function WaitingItem({ ticket, title, renderedAt }: ItemProps) {
  const t = useTranslations('queue');
  const id = useId();
  const router = useRouter();
  const [isRefreshing, refresh] = useTransition();
  const { leave, isLeaving } = useLeave(ticket);

  async function leaveAndRefresh(): Promise<void> {
    await leave();
    refresh(() => router.refresh());
  }

  return (
    <li className={styles.item}>
      <Link id={`${id}-title`} className={styles.coupon} href={`/#${encodeURIComponent(ticket.couponId)}`}>
        {title}
      </Link>
      <span>{t('place', { position: ticket.position, ahead: ticket.ahead })}</span>
      <TurnTimer turnAt={ticket.turnAt} renderedAt={renderedAt} />
      <Button
        id={id}
        aria-labelledby={`${id} ${id}-title`}
        busy={isLeaving || isRefreshing}
        onClick={leaveAndRefresh}
      >
        {t('leave')}
      </Button>
    </li>
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
