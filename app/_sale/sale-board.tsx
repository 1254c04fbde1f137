'use client';

import { useTranslations } from 'next-intl';
import { lazy, type ReactNode, Suspense } from 'react';
import type { CouponShape } from '../_components/coupon-card';
import { Skeleton } from '../_components/ui/skeleton';
import { useViewer } from '../_shell/viewer-provider';
import type { Coupon } from '../_trpc/types';
import { useStandingRefusal } from '../_window/refusals';
import { placeOf } from './arrange';
import { CouponSale } from './coupon-sale';
import styles from './sale-board.module.css';
import { useCoupons } from './use-coupons';

/** In the server's HTML; its script may come after that of the button. */
const WindowsPanel = lazy(() => import('../_window/windows-panel'));
/** For demos only, so it comes after what every visitor needs. */
const CrowdPanel = lazy(() => import('./crowd-panel'));

interface Props {
  coupons: Coupon[];
  serverNow: number;
}

/** The sale: the coupon at the gate, the windows beside it, the others below. */
export function SaleBoard(rendered: Props) {
  const t = useTranslations('sale');
  const { demo, departures } = useViewer();
  const { arrangement, serverNow } = useCoupons(rendered);
  const { flash, claims, over } = arrangement;
  const [atTheGate, ...otherFlash] = flash;
  // One reading for all cards: a phone has enough to do when it wakes a page of fifteen.
  const refusals = {
    seckill: useStandingRefusal('coupon.seckill'),
    claim: useStandingRefusal('coupon.claim'),
  } satisfies Record<Coupon['kind'], unknown>;
  const sale = (shape: CouponShape, keyOf: (coupon: Coupon) => string) => (coupon: Coupon) => (
    <CouponSale
      key={`${departures}:${keyOf(coupon)}`}
      coupon={coupon}
      refusal={refusals[coupon.kind]}
      serverNow={serverNow}
      shape={shape}
    />
  );
  // The next round is the same card and the same button: who waits at it keeps the focus, and is told.
  const standing = (shape: CouponShape) => sale(shape, placeOf);
  const listed = sale('row', ({ id }) => id);

  return (
    <div className={styles.board}>
      <div className={styles.gate}>
        {atTheGate ? (
          <section aria-label={t('featured')}>{standing('featured')(atTheGate)}</section>
        ) : (
          <p className={styles.empty}>{t('empty')}</p>
        )}
      </div>
      <aside className={styles.windows}>
        <Suspense fallback={<Skeleton shape="panel" />}>
          <WindowsPanel seckill={atTheGate} claim={claims[0]} />
        </Suspense>
      </aside>
      {demo && (
        <div className={styles.crowd}>
          <Suspense fallback={<Skeleton shape="panel" />}>
            <CrowdPanel coupons={flash} />
          </Suspense>
        </div>
      )}
      <div className={styles.others}>
        <Group title={t('flash')}>
          {otherFlash.length > 0 && <div className={styles.cards}>{otherFlash.map(standing('card'))}</div>}
        </Group>
        <Group title={t('claims')} lead={t('claimsLead')}>
          {claims.length > 0 && <div>{claims.map(listed)}</div>}
        </Group>
        <Group title={t('over')}>{over.length > 0 && <div>{over.map(listed)}</div>}</Group>
      </div>
    </div>
  );
}

function Group({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <section className={styles.group} aria-label={title}>
      <div>
        <h2 className={styles.title}>{title}</h2>
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </section>
  );
}
