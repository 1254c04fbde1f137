'use client';

import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useState, useTransition } from 'react';
import { Button } from '../_components/ui/button';
import { Link } from '../_components/ui/link';
import { Panel } from '../_components/ui/panel';
import { useDurations } from '../_i18n/use-durations';
import { useServerClock } from '../_live/live-provider';
import { useLiveQueue } from '../_live/live-windows';
import { useCountdown } from '../_live/use-now';
import type { Ticket } from '../_trpc/types';
import styles from './queue.module.css';
import { isWaiting, listShownTickets } from './tickets';
import { useLeave } from './use-leave';

type WaitingTicket = Extract<Ticket, { state: 'waiting' }>;

const END_REASONS = ['sold-out', 'ended', 'closed', 'banned'] as const;

interface TitledTicket {
  ticket: Ticket;
  /** The title of its coupon. */
  title: string;
}

interface Props {
  /** The tickets that wait, and those that ended in the last hour. Absent: the store could not read them. */
  tickets: readonly TitledTicket[] | undefined;
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** Lists the waiting tickets of the viewer above the orders of the wallet, and those that ended since the page opened. */
export function WaitingTickets({ tickets, renderedAt }: Props) {
  const t = useTranslations('queue');
  const seen = useSeenTickets(tickets);
  if (!tickets) return null;
  const shown = listShownTickets(
    tickets.map(({ ticket }) => ticket),
    new Map([...seen].map(([id, { ticket }]) => [id, ticket])),
  );
  const waiting = shown.filter((ticket) => ticket.state === 'waiting');
  const ended = shown.flatMap((ticket) => {
    if (ticket.state !== 'void' || ticket.reason === 'left') return [];
    return [{ ticket, reason: END_REASONS.find((one) => one === ticket.reason) ?? ('lost' as const) }];
  });
  if (waiting.length + ended.length === 0) return null;
  const titleOf = ({ ticketId }: Ticket) =>
    (tickets.find(({ ticket }) => ticket.ticketId === ticketId) ?? seen.get(ticketId))?.title ?? '';
  return (
    <section aria-label={t('walletTitle')} className={styles.wallet}>
      <Panel>
        <h2 className={styles.walletTitle}>{t('walletTitle')}</h2>
        <ul className={styles.list}>
          {waiting.map((ticket) => (
            <WaitingItem
              key={ticket.ticketId}
              ticket={ticket}
              title={titleOf(ticket)}
              renderedAt={renderedAt}
            />
          ))}
          {ended.map(({ ticket, reason }) => (
            <li key={ticket.ticketId} className={styles.item}>
              <CouponLink couponId={ticket.couponId} title={titleOf(ticket)} />
              <span role="status">{t(`end.${reason}`)}</span>
            </li>
          ))}
        </ul>
        {waiting.length > 0 && (
          <>
            <p className={styles.walletText}>{t('walletText')}</p>
            <RefreshOnLoss />
          </>
        )}
      </Panel>
    </section>
  );
}

/** Returns the tickets that this page has seen waiting, by id. */
function useSeenTickets(tickets: Props['tickets']): ReadonlyMap<string, TitledTicket> {
  const [seen, setSeen] = useState<ReadonlyMap<string, TitledTicket>>(new Map());
  useEffect(() => {
    const waiting = (tickets ?? []).filter(({ ticket }) => isWaiting(ticket));
    setSeen((before) => new Map([...before, ...waiting.map((one) => [one.ticket.ticketId, one] as const)]));
  }, [tickets]);
  return seen;
}

/** Refreshes the page at once when the store has lost the queue, whose version then falls. Draws nothing. */
function RefreshOnLoss() {
  const router = useRouter();
  const version = useLiveQueue('coupon.seckill')?.version ?? 0;
  const [highest, setHighest] = useState(version);
  useEffect(() => {
    if (version < highest) router.refresh();
    setHighest(version);
  }, [version, highest, router]);
  return null;
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
      <CouponLink id={`${id}-title`} couponId={ticket.couponId} title={title} />
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

function CouponLink({ id, couponId, title }: { id?: string; couponId: string; title: string }) {
  return (
    <Link id={id} className={styles.coupon} href={`/#${encodeURIComponent(couponId)}`}>
      {title}
    </Link>
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
