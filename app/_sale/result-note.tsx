import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CouponShape } from '../_components/coupon';
import { Outcome } from '../_components/outcome';
import { InPlaceOf, ProblemNote, RefusalNote } from '../_components/problem-note';
import { Notice } from '../_components/ui/status';
import { formatCount } from '../_i18n/numbers';
import { endReasonOf } from '../_queue/ended-ticket';
import { TicketNote } from '../_queue/ticket-note';
import { isWaiting } from '../_queue/tickets';
import type { Coupon, Order, PurchaseReply, RefusalData, Ticket } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { OwnPace } from '../_window/pace-bars';
import type { PolicyRefusal } from '../_window/refusals';
import { OwnedNote } from './owned-note';
import styles from './result-note.module.css';
import type { PurchaseResult } from './use-purchase';
import { Why } from './why';

interface Props {
  coupon: Coupon;
  result: PurchaseResult;
  /** The viewer's ticket for the coupon. */
  ticket: Ticket | undefined;
  /** The viewer's newest order of the coupon that has not ended. */
  order: Order | undefined;
  /** The server's clock when the coupons were read. */
  serverNow: number;
  /** The last refusal by a limit of the policy. */
  refusal: PolicyRefusal | undefined;
  /** That refusal has not ended. */
  isRefused: boolean;
  state: Coupon['state'];
  shape: CouponShape;
  /** Replaces a result that the state of the coupon contradicts. */
  hint: ReactNode;
}

/** Shows a result, and scrolls it into view after a click: neither the bar of a phone nor the end of the screen may cut it. */
export function ResultNote(props: Props) {
  const { result, shape } = props;
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result.kind === 'none') return;
    const { top = 0, bottom = 0 } = note.current?.getBoundingClientRect() ?? {};
    // The button of the featured coupon is in the bar of a phone, so the shopper may read another part of the page.
    const isNear = top < innerHeight && bottom > 0;
    if (shape !== 'featured' || isNear) note.current?.scrollIntoView({ block: 'nearest' });
  }, [result, shape]);
  return (
    <div ref={note}>
      <Result {...props} />
    </div>
  );
}

/** Shows the result of the last click; before the first, the viewer's order, or that nothing is left. */
function Result({ coupon, result: last, ticket, order, serverNow, refusal, isRefused, state, hint }: Props) {
  const tQueue = useTranslations('queue');
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
      if (result.problem.kind === 'lost' && (state === 'sold-out' || state === 'ended')) return <LostNote />;
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
      return <Notice tone="warning">{tQueue('tooMany')}</Notice>;
  }
}

/** Shows a click without a response on a coupon that can no longer be bought. */
function LostNote() {
  const t = useTranslations('problem');
  return <Notice tone="unavailable">{t('lostChance')}</Notice>;
}

/** States that a coupon is sold out, and how many there were; in a demo, when the next round opens. */
function SoldOutNote({ total }: { total: number }) {
  const t = useTranslations('coupon');
  const { demo } = useViewer();
  return (
    <Outcome variant="gone" title={t('idle.sold-out')}>
      {demo ? <NextRound /> : t('allTaken', { total: formatCount(total) })}
    </Outcome>
  );
}

/** Its own component, because only a demo has its message. */
function NextRound() {
  const t = useTranslations('crowd');
  return t('nextRoundSoon');
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

interface RefusedProps extends Pick<Props, 'isRefused' | 'state' | 'hint'> {
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
  const t = useTranslations('problem');
  const tQueue = useTranslations('queue');
  const [isOpen, setIsOpen] = useState(false);
  const isLive = state === 'live';
  if (!isRefused && !isOpen) return isLive ? <Notice>{t('again')}</Notice> : hint;
  // Another call may have been refused by another level since this join.
  const level = isJoin ? refusal.level : policyRefusal?.level;
  const text = isLive && level === 'global' ? tQueue(isJoin ? 'noPlace' : 'joinText') : message;
  return (
    <Outcome variant={refusal.reason === 'banned' ? 'banned' : 'refused'}>
      <RefusalNote
        refusal={refusal}
        message={isRefused || !isLive ? text : <InPlaceOf text={text}>{t('again')}</InPlaceOf>}
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
