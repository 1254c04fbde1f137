'use client';

import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import type { CouponShape } from '../_components/coupon';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { PageHead } from '../_components/ui/page-parts';
import { useHasQueue } from '../_live/live-provider';
import { findOwnOrder } from '../_orders/order-state';
import { type OrderList, useOrders } from '../_orders/use-orders';
import type { Coupon, Ticket } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { usePolicyRefusal } from '../_window/refusals';
import { WindowsPanel } from '../_window/windows-panel';
import { AlsoOnSale } from './also-on-sale';
import { CLAIMS_WAIT_ID, CouponSale } from './coupon-sale';
import styles from './sale.module.css';
import { type CouponList, RefetchOnOtherCoupons, roundKey, useCoupons } from './use-coupons';

/** Demo only. Loaded when the pointer or the focus reaches its button. */
const loadDock = () => import('../_flood/flood-dock');
// Without `loading`, a late part has no Suspense boundary and stops the page that shows it until its code is there.
const FloodDock = dynamic(loadDock, { loading: () => null });
const Queue = dynamic(async () => (await import('../_queue/queue')).Queue, { loading: () => null });
const WatchBoard = dynamic(async () => (await import('./watch-board')).WatchBoard, { loading: () => null });
const ClaimsWait = dynamic(async () => (await import('./claims-wait')).ClaimsWait, { loading: () => null });

interface Props {
  /** The coupons as rendered by the server. */
  list: CouponList;
  /** The viewer's newest orders. Absent: anonymous, or not readable now. */
  orders: OrderList | undefined;
  /** The limits when the server rendered the page. */
  limits: Record<Coupon['kind'], readonly PolicyLevel[]>;
  /** The lead of the page, written by the server. */
  lead: ReactNode;
  /** Introduces the claim coupons. Written by the server, which has the limit of claims. */
  claimsLead: ReactNode;
  /** The limit of an address's crowds. Absent: not enforced. */
  crowdLimit: PolicyLevel | undefined;
}

/** Shows the sale: the featured coupon next to the windows, the other coupons, and in a demo the dock. */
export function SaleBoard({ list, limits, lead, claimsLead, crowdLimit, orders: renderedOrders }: Props) {
  const t = useTranslations('sale');
  const { demo, signOuts, user } = useViewer();
  // Once opened, the dock stays mounted, because it keeps its results and choices.
  const [isOpen, setIsOpen] = useState<boolean>();
  const close = useCallback(() => setIsOpen(false), []);
  const [wasActive, setActive] = useState(false);
  const onActive = useCallback(() => setActive(true), []);
  const isActive = wasActive || isOpen !== undefined;
  const { orders } = useOrders({ rendered: renderedOrders });
  const { groups, firstPage, serverNow, hasMore, isLoadingMore, loadMore } = useCoupons(list, orders);
  const [waited, setWaited] = useState<{ signOuts: number; tickets: Readonly<Record<string, Ticket>> }>();
  const onTickets = useCallback(
    (shown: Readonly<Record<string, Ticket>>) => setWaited({ signOuts, tickets: shown }),
    [signOuts],
  );
  // Never those of a former user.
  const tickets = waited?.signOuts === signOuts ? waited.tickets : undefined;
  const hasQueue = useHasQueue();
  const { flash, claims, ended } = groups;
  const [featured, ...otherFlash] = flash;
  const board = useRef<HTMLDivElement>(null);
  // Read once for all cards, so that a phone that resumes the page renders fast.
  const refusals = {
    seckill: usePolicyRefusal('coupon.seckill'),
    claim: usePolicyRefusal('coupon.claim'),
  } satisfies Record<Coupon['kind'], unknown>;
  const sale = (shape: CouponShape, keyOf: (coupon: Coupon) => string) => (coupon: Coupon) => (
    <CouponSale
      key={`${signOuts}:${keyOf(coupon)}`}
      coupon={coupon}
      order={findOwnOrder(orders, coupon.id)}
      ticket={tickets?.[coupon.id]}
      refusal={refusals[coupon.kind]}
      serverNow={serverNow}
      shape={shape}
    />
  );
  // The next round keeps the card and the button, and with it the keyboard focus.
  const inPlace = (shape: CouponShape) => sale(shape, roundKey);
  const listed = sale('row', ({ id }) => id);
  // Where the next page begins: those that are over come last.
  const more = hasMore && (
    <Button busy={isLoadingMore} onClick={loadMore}>
      {t('more')}
    </Button>
  );

  return (
    <div ref={board} className={classNames(layout.stack6, styles.board, isOpen && styles.flooded)}>
      <PageHead
        title={t('title')}
        lead={lead}
        action={
          demo && (
            <Button
              className={styles.opener}
              aria-expanded={isOpen === true}
              onPointerEnter={loadDock}
              onFocus={loadDock}
              onClick={() => setIsOpen(!isOpen)}
            >
              {t('flood')}
            </Button>
          )
        }
      />
      <div className={styles.stage}>
        <div className={styles.featured}>
          {featured ? (
            <section aria-label={t('featured')}>{inPlace('featured')(featured)}</section>
          ) : (
            <p className={layout.soft}>{t('empty')}</p>
          )}
        </div>
        <div className={classNames(layout.stack6, layout.whole)}>
          <Group title={t('flash')}>
            {otherFlash.length > 0 && <div className={styles.cards}>{otherFlash.map(inPlace('card'))}</div>}
          </Group>
          {ended.length === 0 && more}
          <Group title={t('claims')} lead={claimsLead}>
            {claims.length > 0 && (
              <div>
                <div id={CLAIMS_WAIT_ID} role="status" className={styles.claimsWait}>
                  {refusals.claim && !refusals.claim.isBlocked && <ClaimsWait refusal={refusals.claim} />}
                </div>
                <div className={styles.rows}>{claims.map(listed)}</div>
              </div>
            )}
          </Group>
          <Group title={t('over')}>
            {ended.length > 0 && <div className={styles.rows}>{ended.map(listed)}</div>}
          </Group>
          {ended.length > 0 && more}
        </div>
        {/* After all coupons, so that a phone shows them as one list. */}
        <aside className={classNames(layout.stack4, layout.top, styles.windows)}>
          <WindowsPanel limits={limits} isSlim={!isActive} />
          {!isActive && <AlsoOnSale coupons={otherFlash} />}
        </aside>
      </div>
      <RefetchOnOtherCoupons page={firstPage} groups={groups} />
      {/* The open dock covers buttons, so it watches them itself. */}
      <WatchBoard board={board} coupons={isOpen ? undefined : groups} onActive={onActive} />
      {user && (hasQueue || tickets || refusals.seckill) && (
        <Queue key={signOuts} coupons={flash} onTickets={onTickets} />
      )}
      {isOpen !== undefined && (
        <FloodDock
          isOpen={isOpen}
          onClose={close}
          coupons={flash}
          crowdLimit={crowdLimit}
          serverNow={serverNow}
        />
      )}
    </div>
  );
}

function Group({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  if (!children) return null;
  return (
    <section className={layout.stack3} aria-label={title}>
      <div className={layout.stack1}>
        <h2 className={layout.title}>{title}</h2>
        {lead && <p className={classNames(layout.hint, styles.lead)}>{lead}</p>}
      </div>
      {children}
    </section>
  );
}
