'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useState, useTransition } from 'react';
import { Button, ButtonLink } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import { useLiveQueue, useLiveStock, useSoldOutIds } from '../_live/live-provider';
import type { Order, Ticket } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './queue.module.css';
import { readSeenTickets, storeSeenTickets, type TitledTicket } from './seen-tickets';
import { Turn, toStock } from './ticket-note';
import { type EndReason, endReasonOf, isWaiting, listShownTickets } from './tickets';
import { useLeave } from './waiting-action';

/** The sale ends the tickets of a coupon within a second after its end. */
const OVER_REFRESH_MS = 1_000;

type WaitingTicket = Extract<Ticket, { state: 'waiting' }>;

interface Props {
  /** The tickets that wait, and those that ended in the last hour. Absent: the store could not read them. */
  tickets: readonly TitledTicket[] | undefined;
  /** The viewer's orders on the page. A later order of its coupon replaces an ended ticket. */
  orders: readonly Pick<Order, 'couponId' | 'createdAt'>[];
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** Lists the waiting tickets of the viewer above the orders of the wallet, and those that ended without a coupon. */
export function WaitingTickets({ tickets, orders, renderedAt }: Props) {
  const t = useTranslations('queue');
  const seen = useSeenTickets(tickets);
  if (!tickets) return null;
  const known = new Map([...seen, ...tickets].map((one) => [one.ticket.ticketId, one]));
  const shown = listShownTickets(
    tickets.map(({ ticket }) => ticket),
    new Map([...seen, ...tickets].map(({ ticket }) => [ticket.ticketId, ticket])),
  ).map((ticket) => ({ title: '', ...known.get(ticket.ticketId), ticket }));
  const waiting = shown.flatMap(({ ticket, ...coupon }) =>
    ticket.state === 'waiting' ? [{ ticket, ...coupon }] : [],
  );
  const ended = shown.flatMap(({ ticket, ...coupon }) => {
    const reason = endReasonOf(ticket);
    const isReplaced = orders.some(
      ({ couponId, createdAt }) => couponId === ticket.couponId && createdAt >= ticket.joinedAt,
    );
    return reason && !isReplaced ? [{ ticket, ...coupon, reason }] : [];
  });
  if (waiting.length + ended.length === 0) return null;
  const heading = t(waiting.length > 0 ? 'walletTitle' : 'walletEnded');
  return (
    <section aria-label={heading} className={styles.wallet}>
      <Panel>
        <h2 className={layout.title}>{heading}</h2>
        <ul className={layout.stack3}>
          {waiting.map((one) => (
            <WaitingItem key={one.ticket.ticketId} {...one} renderedAt={renderedAt} />
          ))}
          {ended.map((one) => (
            <EndedItem key={one.ticket.ticketId} {...one} />
          ))}
        </ul>
        {waiting.length > 0 && (
          <>
            <p className={layout.hint}>{t('walletText')}</p>
            <RefreshOnLoss />
            <RefreshOnEnd waiting={waiting} />
          </>
        )}
      </Panel>
    </section>
  );
}

/** Returns the tickets that this page, or another one of the browser, has seen waiting or ended. */
function useSeenTickets(tickets: Props['tickets']): readonly TitledTicket[] {
  const { user } = useViewer();
  const [seen, setSeen] = useState<readonly TitledTicket[]>([]);
  useEffect(() => {
    const listed = tickets ?? [];
    const stored = user ? readSeenTickets(user.id) : [];
    setSeen((before) => {
      const byId = new Map([...stored, ...before, ...listed].map((one) => [one.ticket.ticketId, one]));
      return [...byId.values()];
    });
    if (user)
      storeSeenTickets(
        user.id,
        listed.filter(({ ticket }) => isWaiting(ticket)),
      );
  }, [tickets, user]);
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

/** Refreshes the page every second while a coupon of a waiting ticket is over, which ends the ticket. Draws nothing. */
function RefreshOnEnd({ waiting }: { waiting: readonly TitledTicket[] }) {
  const router = useRouter();
  const soldOutIds = useSoldOutIds().split(' ');
  const isOver = waiting.some(({ ticket, left }) => left === 0 || soldOutIds.includes(ticket.couponId));
  useEffect(() => {
    if (!isOver) return;
    router.refresh();
    const timer = setInterval(() => router.refresh(), OVER_REFRESH_MS);
    return () => clearInterval(timer);
  }, [isOver, router]);
  return null;
}

interface ItemProps extends TitledTicket {
  ticket: WaitingTicket;
  renderedAt: number;
}

/** A waiting ticket, which leads to its coupon and can be left. */
function WaitingItem({ ticket, title, left, renderedAt }: ItemProps) {
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
    <li className={classNames(layout.row4, layout.apart, styles.item)}>
      <CouponLink id={`${id}-title`} couponId={ticket.couponId} title={title} />
      <span>{t('place', { position: ticket.position, ahead: ticket.ahead })}</span>
      <Turn ticket={ticket} left={left} renderedAt={renderedAt} />
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

interface EndedProps extends TitledTicket {
  reason: EndReason;
}

/** After one of these, no shopper joins again, whatever stock was left. */
const FINAL_REASONS: ReadonlySet<EndReason> = new Set(['banned', 'closed', 'ended']);

/** A ticket that has ended without a coupon, with the way to join again unless the coupon has no stock. */
function EndedItem({ ticket: { couponId }, title, left, reason }: EndedProps) {
  const t = useTranslations('queue');
  const id = useId();
  const stock = useLiveStock({ id: couponId, stock: toStock(left) });
  // The feed names the stock that changes. Until then, only a sold-out coupon is known to have none.
  const hasStock = stock === undefined ? reason !== 'sold-out' : stock > 0;
  const mayJoin = hasStock && !FINAL_REASONS.has(reason);
  return (
    <li className={classNames(layout.row4, layout.apart, styles.item)}>
      <CouponLink id={`${id}-title`} couponId={couponId} title={title} />
      <div role="status">
        <p>{t(`end.${reason}`)}</p>
        <p className={layout.hint}>{t(reason === 'lost' ? 'end.lostText' : 'notCharged')}</p>
      </div>
      {mayJoin && (
        <ButtonLink
          id={id}
          aria-labelledby={`${id} ${id}-title`}
          href={couponHref(couponId)}
          variant="primary"
        >
          {t('joinAgain')}
        </ButtonLink>
      )}
    </li>
  );
}

function couponHref(couponId: string): string {
  return `/#${encodeURIComponent(couponId)}`;
}

function CouponLink({ id, couponId, title }: { id?: string; couponId: string; title: string }) {
  return (
    <Link
      prefetch={false}
      id={id}
      className={classNames(layout.whole, layout.strong)}
      href={couponHref(couponId)}
    >
      {title}
    </Link>
  );
}
