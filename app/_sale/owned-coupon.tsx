import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, type RefCallback, useEffect, useId, useRef, useState } from 'react';
import { OrderCode } from '../_components/coupon';
import { Outcome } from '../_components/outcome';
import { ButtonLink } from '../_components/ui/button';
import { formatMoney } from '../_i18n/numbers';
import { useIsStateUnknown, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { formatTimeToPay, ownershipOf } from '../_orders/order-state';
import { rememberOrder } from '../_orders/use-orders';
import { useTRPC } from '../_trpc/client';
import type { Coupon, Order } from '../_trpc/types';
import styles from './sale.module.css';

interface ActionProps {
  order: Order;
  coupon: Pick<Coupon, 'priceCents'>;
  /** The server's clock when the coupons were read. */
  serverNow: number;
  /** The id of the coupon's title, which completes the link's name. */
  titleId: string;
  large: boolean;
  /** It has replaced the button on this page, whose next press may be on its way. */
  isNew: boolean;
  ref: RefCallback<HTMLElement>;
}

/** A link that has replaced a button ignores presses for this time: quick presses of the button must not leave the page. */
const IGNORED_MS = 700;

/** The main action of a coupon that the viewer has: pay it, or see it in the wallet. */
export function OwnedAction({ order, coupon, serverNow, titleId, large, isNew, ref }: ActionProps) {
  const t = useTranslations('coupon');
  const id = useId();
  const [shownAt] = useState(() => performance.now());
  const { seconds, isPaused } = useHold(order.holdUntil, serverNow);
  const isHeld = ownershipOf(order) === 'held';
  const isOver = isHeld && seconds === 0;
  const canPay = isHeld && !isOver && !isPaused;
  return (
    <ButtonLink
      ref={ref}
      id={id}
      aria-labelledby={`${id} ${titleId}`}
      href={`/wallet#order-${order.id}`}
      variant={canPay ? 'primary' : 'secondary'}
      size={large ? 'large' : 'medium'}
      wide
      onClick={(event) => {
        if (isNew && performance.now() - shownAt < IGNORED_MS) event.preventDefault();
      }}
    >
      {canPay
        ? t('pay', { price: formatMoney(coupon.priceCents) })
        : t(isOver ? 'toWallet' : isHeld ? 'held' : 'inWallet')}
    </ButtonLink>
  );
}

/** Returns the whole seconds left to pay, and whether no payment can be made now: a limited call needs the store. */
function useHold(until: number | undefined, serverNow: number): { seconds: number; isPaused: boolean } {
  return {
    seconds: useCountdown({ clock: useServerClock(), until, initial: serverNow }),
    isPaused: useIsStateUnknown(),
  };
}

interface NoteProps {
  order: Order;
  /** The server's clock when the coupons were read. */
  serverNow: number;
  /** The last click bought it. */
  isNew?: boolean;
  /** The first sentence below the title. */
  children?: ReactNode;
}

/** Shows an order of the viewer on its coupon: being confirmed, held until paid, or final. */
export function OwnedNote({ order, serverNow, isNew = false, children }: NoteProps) {
  const t = useTranslations('outcome');
  const note = useRef<HTMLDivElement>(null);
  useConfirmation(order);
  const ownership = ownershipOf(order);

  // One ticket per order, also for a second claim of the same coupon.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    // From the picture, so that the ticket covers neither this note nor the button.
    const picture = note.current?.closest('article')?.firstElementChild;
    if (isNew && picture) flyTicket(picture);
  }, [isNew, order.id]);

  return (
    <div ref={note}>
      {ownership === 'confirming' && <Outcome variant="confirming" title={t('reserved')} />}
      {ownership === 'held' && (
        <HeldNote until={order.holdUntil} serverNow={serverNow}>
          {children} {t('heldText')}
        </HeldNote>
      )}
      {ownership === 'owned' && (
        <Outcome variant="owned" title={t('confirmed')}>
          {children}
          {order.code && <OrderCode label={t('code')} code={order.code} />}
        </Outcome>
      )}
    </div>
  );
}

interface HeldProps extends Pick<NoteProps, 'serverNow'> {
  until: number | undefined;
  children: ReactNode;
}

function HeldNote({ until, serverNow, children }: HeldProps) {
  const t = useTranslations('outcome');
  const { seconds, isPaused } = useHold(until, serverNow);
  if (seconds === 0) {
    return (
      <Outcome variant="gone" title={t('holdOver')}>
        {t('holdOverText')}
      </Outcome>
    );
  }
  // A timer is not announced each second, although it is inside a live region.
  const time = () => <span role="timer">{formatTimeToPay(seconds)}</span>;
  return (
    <Outcome variant="held" title={t.rich(isPaused ? 'heldPaused' : 'held', { time })}>
      {isPaused ? t('heldPausedText') : children}
    </Outcome>
  );
}

/** Polls an order that is still reserved until it is written. */
function useConfirmation(order: Order): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { data } = useQuery(
    trpc.order.byId.queryOptions(
      { id: order.id },
      { enabled: order.status === 'reserved', refetchInterval: 1_000 },
    ),
  );
  const settled = data?.order.status === 'reserved' ? undefined : data?.order;

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per new status
  useEffect(() => {
    if (settled) void rememberOrder(settled, { trpc, queryClient });
  }, [settled]);
}

/** Short enough that it ends before the shopper's next action. */
const FLIGHT_MS = 640;

/**
 * Tears a ticket off an element and moves it to the wallet's link in the header. Only a picture: it changes neither the
 * focus nor the layout. Without motion, the changed note and the wallet's count suffice.
 */
function flyTicket(from: Element): void {
  const wallet = document.querySelector('header a[href="/wallet"]');
  if (!wallet || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const ticket = document.createElement('div');
  ticket.className = styles.flyingTicket ?? '';
  ticket.ariaHidden = 'true';
  document.body.append(ticket);

  const flight = ticket.animate(keyframes(from.getBoundingClientRect(), wallet.getBoundingClientRect()), {
    duration: FLIGHT_MS,
    easing: 'cubic-bezier(0.4, 0, 0.7, 1)',
  });
  const remove = () => ticket.remove();
  flight.onfinish = remove;
  flight.oncancel = remove;
}

type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

/** Returns the way from the middle of one box to that of another: torn off, lifted, then away. */
export function keyframes(from: Box, to: Box): Keyframe[] {
  const start = middleOf(from);
  const end = middleOf(to);
  const at = ({ x, y }: typeof start, shape: string) =>
    `translate(${x}px, ${y}px) translate(-50%, -50%) ${shape}`;
  return [
    { transform: at(start, 'rotate(0deg) scale(1)'), opacity: 0 },
    { transform: at(start, 'rotate(-7deg) scale(1)'), opacity: 1, offset: 0.12 },
    { transform: at({ x: start.x, y: start.y - 28 }, 'rotate(4deg) scale(1.04)'), opacity: 1, offset: 0.35 },
    { transform: at(end, 'rotate(-12deg) scale(0.25)'), opacity: 0.4 },
  ];
}

function middleOf({ left, top, width, height }: Box): { x: number; y: number } {
  return { x: left + width / 2, y: top + height / 2 };
}
