import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { CouponShape } from '../_components/coupon';
import { Outcome } from '../_components/outcome';
import { InPlaceOf, ProblemNote, RefusalNote } from '../_components/problem-note';
import { Notice } from '../_components/ui/status';
import { Instant } from '../_i18n/local-time';
import { formatCount } from '../_i18n/numbers';
import { ownershipOf } from '../_orders/order-state';
import { endReasonOf, isWaiting } from '../_queue/tickets';
import type { Coupon, Order, PurchaseReply, RefusalData, Ticket } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { OwnPace } from '../_window/pace-bars';
import type { PolicyRefusal } from '../_window/refusals';
import { OwnedNote } from './owned-coupon';
import styles from './sale.module.css';
import type { PurchaseResult } from './use-purchase';

const TicketNote = dynamic(async () => (await import('../_queue/ticket-note')).TicketNote, {
  loading: () => null,
});
const Why = dynamic(async () => (await import('./why')).Why, { loading: () => null });

interface Props {
  coupon: Coupon;
  /** The viewer's newest order of the coupon that has not ended. */
  order: Order | undefined;
  /** The viewer's ticket for the coupon. */
  ticket: Ticket | undefined;
  /** The last refusal by a limit of the policy. */
  refusal: PolicyRefusal | undefined;
  /** That refusal has not ended, or still offers the queue. */
  isRefused: boolean;
  /** The server's clock when the coupons were read. */
  serverNow: number;
  shape: CouponShape;
  state: Coupon['state'];
  result: PurchaseResult;
  /** An operator blocks the calls of a coupon that is on sale. */
  isBlocked: boolean;
}

/** Shows the result of the last click; before the first, the viewer's order or a hint. */
export function CouponNote(props: Props) {
  const { coupon, order, ticket, shape, state, result, isBlocked } = props;
  const note = useInView(result, shape);
  // In a list, the button's text suffices, except for a hold and a paused gate.
  const isRow = shape === 'row';
  const isIdle = result.kind === 'none' && (!ticket || order);
  const isPaused = state === 'paused' || isBlocked;
  if (isIdle && isRow && (order ? ownershipOf(order) === 'owned' : !isPaused)) return null;
  const hint = isBlocked ? (
    <BlockedHint />
  ) : (
    <StateHint state={state} until={state === 'upcoming' ? coupon.startsAt : coupon.endsAt} />
  );
  if (isBlocked && result.kind === 'problem' && result.problem.kind === 'refused') return hint;
  if (isIdle && !order && !(state === 'sold-out' && coupon.stock)) return hint;
  return (
    <div ref={note}>
      <Result {...props} hint={hint} />
    </div>
  );
}

/** Scrolls a result into view after a click: neither the bar of a phone nor the end of the screen may cut it. */
function useInView(result: PurchaseResult, shape: CouponShape): RefObject<HTMLDivElement | null> {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result.kind === 'none') return;
    const { top = 0, bottom = 0 } = note.current?.getBoundingClientRect() ?? {};
    // The button of the featured coupon is in the bar of a phone, so the shopper may read another part of the page.
    const isNear = top < innerHeight && bottom > 0;
    if (shape !== 'featured' || isNear) note.current?.scrollIntoView({ block: 'nearest' });
  }, [result, shape]);
  return note;
}

/** States that an operator blocks the coupon, and that no time is known. */
function BlockedHint() {
  const t = useTranslations('coupon');
  return <Notice tone="paused">{t('onHoldText')}</Notice>;
}

const tones = {
  live: undefined,
  upcoming: 'waiting',
  paused: 'paused',
  'sold-out': 'over',
  ended: 'over',
} as const satisfies Record<Coupon['state'], string | undefined>;

function StateHint({ state, until }: { state: Coupon['state']; until: number }) {
  const t = useTranslations('coupon');
  const { demo, user } = useViewer();
  // A press signs a visitor of the demo in.
  if (state === 'live' && !demo && !user) return <Notice>{t('idle.signIn')}</Notice>;
  return <Notice tone={tones[state]}>{t.rich(`idle.${state}`, { at: () => <Instant at={until} /> })}</Notice>;
}

interface ResultProps extends Props {
  /** Replaces a result that the state of the coupon contradicts. */
  hint: ReactNode;
}

function Result({
  coupon,
  result: last,
  ticket,
  order,
  serverNow,
  refusal,
  isRefused,
  state,
  hint,
}: ResultProps) {
  const t = useTranslations();
  const result = ticket ? resultOf(ticket, last) : last;
  switch (result.kind) {
    case 'none':
      return order ? (
        <OwnedNote order={order} serverNow={serverNow} />
      ) : (
        coupon.stock && <SoldOutNote total={coupon.stock.total} />
      );
    case 'reply':
      return <ReplyNote reply={result.reply} {...{ coupon, order, serverNow, state }} />;
    case 'problem':
      if (result.problem.kind === 'lost' && (state === 'sold-out' || state === 'ended'))
        return <Notice tone="unavailable">{t('problem.lostChance')}</Notice>;
      if (result.problem.kind !== 'refused')
        return <ProblemNote problem={result.problem} here="/" isPurchase />;
      return (
        <RefusedNote
          {...result.problem}
          isJoin={result.isJoin}
          policyRefusal={refusal}
          {...{ isRefused, state, hint }}
        />
      );
    case 'too-many-tickets':
      return <Notice tone="warning">{t('queue.tooMany')}</Notice>;
  }
}

/** States that a coupon is sold out, and how many there were; in a demo, when the next round opens. */
function SoldOutNote({ total }: { total: number }) {
  const t = useTranslations();
  const { demo } = useViewer();
  return (
    <Outcome variant="gone" title={t('coupon.idle.sold-out')}>
      {demo ? t('crowd.nextRoundSoon') : t('coupon.allTaken', { total: formatCount(total) })}
    </Outcome>
  );
}

/** Returns the result of a ticket, unless a click after its end has another one. */
function resultOf(ticket: Ticket, last: PurchaseResult): PurchaseResult {
  if (!isOfTicket(last) && !isWaiting(ticket)) return last;
  const { outcome } = ticket.state === 'served' && !endReasonOf(ticket) ? ticket : {};
  return { kind: 'reply', reply: outcome ?? { outcome: 'queued', ticket } };
}

/** Returns true if there was no click after the shopper joined. */
function isOfTicket(last: PurchaseResult): boolean {
  return last.kind === 'none' || (last.kind === 'reply' && last.reply.outcome === 'queued');
}

interface ReplyProps extends Pick<Props, 'coupon' | 'order' | 'serverNow' | 'state'> {
  reply: PurchaseReply;
}

/** Shows the outcome of an admitted purchase. */
function ReplyNote({ coupon, reply, order, serverNow, state }: ReplyProps) {
  const t = useTranslations('outcome');
  switch (reply.outcome) {
    case 'accepted':
      return <OwnedNote order={order ?? reply.order} serverNow={serverNow} isNew />;
    case 'already-bought':
      return (
        <OwnedNote order={order ?? reply.order} serverNow={serverNow}>
          {t('alreadyBought')}
        </OwnedNote>
      );
    case 'sold-out':
      return (
        <Outcome variant="gone" title={t('soldOut')}>
          {t('soldOutText')}
        </Outcome>
      );
    case 'not-started':
      return <Notice tone="waiting">{t('notStarted')}</Notice>;
    case 'ended':
      return <Notice tone="over">{t('ended')}</Notice>;
    case 'paused':
      return <Notice tone="paused">{t('paused')}</Notice>;
    case 'queued':
      return <TicketNote ticket={reply.ticket} coupon={coupon} state={state} />;
  }
}

interface RefusedProps extends Pick<ResultProps, 'isRefused' | 'state' | 'hint'> {
  refusal: RefusalData;
  message: string;
  /** The click requested a place in the queue, which has none for this shopper. */
  isJoin: boolean | undefined;
  /** The same refusal with its times and hits. */
  policyRefusal: PolicyRefusal | undefined;
}

/**
 * States the limit that refused a click, with an expandable explanation. An open explanation stays open when the wait
 * ends, because the shopper may be reading it.
 */
function RefusedNote({ refusal, message, isJoin, policyRefusal, isRefused, state, hint }: RefusedProps) {
  const t = useTranslations();
  const [isOpen, setIsOpen] = useState(false);
  const isLive = state === 'live';
  if (!isRefused && !isOpen) return isLive ? <Notice>{t('problem.again')}</Notice> : hint;
  // Another call may have been refused by another level since this join.
  const level = isJoin ? refusal.level : policyRefusal?.level;
  const text = isLive && level === 'global' ? t(isJoin ? 'queue.noPlace' : 'queue.joinText') : message;
  return (
    <Outcome variant={refusal.reason === 'banned' ? 'banned' : 'refused'}>
      <RefusalNote
        refusal={refusal}
        message={isRefused || !isLive ? text : <InPlaceOf text={text}>{t('problem.again')}</InPlaceOf>}
      />
      {/* A claim is far from the meter of claims. */}
      {refusal.policy === 'coupon.claim' && refusal.reason === 'limited' && (
        <div className={styles.pace}>
          <OwnPace policy={refusal.policy} />
        </div>
      )}
      {refusal.reason === 'limited' && policyRefusal && (
        <Why refusal={policyRefusal} isOver={!isRefused} onToggle={(open) => isRefused && setIsOpen(open)} />
      )}
    </Outcome>
  );
}
