'use client';

import { useTranslations } from 'next-intl';
import { lazy, type ReactNode, Suspense } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import type { CouponShape } from '../_components/coupon-card';
import layout from '../_components/ui/layout.module.css';
import { Skeleton } from '../_components/ui/skeleton';
import { useViewer } from '../_shell/viewer-provider';
import type { Coupon } from '../_trpc/types';
import { usePolicyRefusal } from '../_window/refusals';
import { BanBanner } from './ban-banner';
import { CouponSale } from './coupon-sale';
import styles from './sale-board.module.css';
import { roundKey, useCoupons } from './use-coupons';

/** Rendered by the server; its script loads after the script of the button. */
const WindowsPanel = lazy(() => import('../_window/windows-panel'));
/** Demo only, so loaded after the parts that every visitor needs. */
const CrowdPanel = lazy(() => import('./crowd-panel'));

interface Props {
  coupons: Coupon[];
  serverNow: number;
  /** Introduces the claim coupons. Written by the server, which has the limit of claims. */
  claimsLead: string;
  /** The limit of an address's crowds. Absent: not enforced. */
  crowdLimit: PolicyLevel | undefined;
}

/** Shows the sale: the featured coupon, the windows, and the other coupons. */
export function SaleBoard({ claimsLead, crowdLimit, ...rendered }: Props) {
  const t = useTranslations('sale');
  const { demo, signOuts } = useViewer();
  const { groups, serverNow } = useCoupons(rendered);
  const { flash, claims, ended } = groups;
  const [featured, ...otherFlash] = flash;
  // Read once for all cards, so that a phone that resumes the page renders fast.
  const refusals = {
    seckill: usePolicyRefusal('coupon.seckill'),
    claim: usePolicyRefusal('coupon.claim'),
  } satisfies Record<Coupon['kind'], unknown>;
  const sale = (shape: CouponShape, keyOf: (coupon: Coupon) => string) => (coupon: Coupon) => (
    <CouponSale
      key={`${signOuts}:${keyOf(coupon)}`}
      coupon={coupon}
      refusal={refusals[coupon.kind]}
      serverNow={serverNow}
      shape={shape}
    />
  );
  // The next round keeps the card and the button, and with it the keyboard focus.
  const inPlace = (shape: CouponShape) => sale(shape, roundKey);
  const listed = sale('row', ({ id }) => id);

  return (
    <div className={styles.board}>
      <BanBanner refusals={[refusals.seckill, refusals.claim]} />
      <div className={styles.featured}>
        {featured ? (
          <section aria-label={t('featured')}>{inPlace('featured')(featured)}</section>
        ) : (
          <p className={layout.soft}>{t('empty')}</p>
        )}
      </div>
      <aside className={styles.windows}>
        <Suspense fallback={<Skeleton shape="panel" />}>
          <WindowsPanel seckill={featured} claim={claims[0]} />
        </Suspense>
      </aside>
      {demo && (
        <div className={styles.crowd}>
          <Suspense fallback={<Skeleton shape="panel" />}>
            <CrowdPanel coupons={flash} limit={crowdLimit} />
          </Suspense>
        </div>
      )}
      <div className={styles.others}>
        <Group title={t('flash')}>
          {otherFlash.length > 0 && <div className={styles.cards}>{otherFlash.map(inPlace('card'))}</div>}
        </Group>
        <Group title={t('claims')} lead={claimsLead}>
          {claims.length > 0 && <div>{claims.map(listed)}</div>}
        </Group>
        <Group title={t('over')}>{ended.length > 0 && <div>{ended.map(listed)}</div>}</Group>
      </div>
    </div>
  );
}

function Group({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <section className={styles.group} aria-label={title}>
      <div>
        <h2 className={layout.title}>{title}</h2>
        {lead && <p className={layout.lead}>{lead}</p>}
      </div>
      {children}
    </section>
  );
}
