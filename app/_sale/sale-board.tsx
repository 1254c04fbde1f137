'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import type { Coupon } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { CouponSale } from './coupon-sale';
import { CrowdPanel } from './crowd-panel';
import styles from './sale-board.module.css';
import { useCoupons } from './use-coupons';
import { WindowsPanel } from './windows-panel';

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
  const sale = (coupon: Coupon, featured = false) => (
    <CouponSale
      key={`${departures}:${coupon.id}`}
      coupon={coupon}
      serverNow={serverNow}
      featured={featured}
    />
  );

  return (
    <div className={styles.board}>
      <div className={styles.gate}>
        {atTheGate ? (
          <section aria-label={t('featured')}>{sale(atTheGate, true)}</section>
        ) : (
          <p className={styles.empty}>{t('empty')}</p>
        )}
      </div>
      <aside className={styles.windows}>
        <WindowsPanel />
        {demo && <CrowdPanel coupons={flash} />}
      </aside>
      <div className={styles.others}>
        <Group title={t('flash')}>{otherFlash.map((coupon) => sale(coupon))}</Group>
        <Group title={t('claims')} lead={t('claimsLead')}>
          {claims.map((coupon) => sale(coupon))}
        </Group>
        <Group title={t('over')}>{over.map((coupon) => sale(coupon))}</Group>
      </div>
    </div>
  );
}

function Group({ title, lead, children }: { title: string; lead?: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section className={styles.group} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {lead && <p className={styles.lead}>{lead}</p>}
      <div className={styles.cards}>{children}</div>
    </section>
  );
}
