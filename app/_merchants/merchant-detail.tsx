'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronLeft } from 'lucide-react';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useId } from 'react';
import { CouponPrice, couponTones } from '../_components/coupon';
import { Button, ButtonLink } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { PageHead } from '../_components/ui/page-parts';
import { Badge, Skeleton } from '../_components/ui/status';
import { keepNumber } from '../_i18n/language';
import { useCouponsVersion } from '../_live/live-provider';
import { useReloadOnChange } from '../_live/use-reload-on-change';
import { Picture, pictureOfCoupon, pictureOfMerchant } from '../_pictures/picture';
import { useTRPC } from '../_trpc/client';
import type { Coupon } from '../_trpc/types';
import { WindowLayout } from '../_window/window-layout';
import { LookupStatus, useLookup } from './lookup-status';
import styles from './merchants.module.css';

/** Shows a merchant, read through the limited procedure. */
export function MerchantDetail({ id }: { id: string }) {
  const t = useTranslations('merchants');
  const trpc = useTRPC();
  const found = useInfiniteQuery(
    trpc.merchant.byId.infiniteQueryOptions(
      { id },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor,
        refetchOnWindowFocus: false,
        retry: false,
      },
    ),
  );
  const merchant = found.data?.pages[0]?.merchant;
  const coupons = found.data?.pages.flatMap((page) => page.coupons) ?? [];
  const lookup = useLookup(found);
  const { problem } = lookup;
  useReloadOnChange({ value: useCouponsVersion(), reload: () => void found.refetch() });

  if (problem?.kind === 'missing') notFound();
  return (
    <>
      <Link prefetch={false} className={classNames(layout.small, styles.back)} href="/merchants">
        <ChevronLeft size={16} aria-hidden="true" />
        {t('back')}
      </Link>
      <WindowLayout onPhone="below">
        {problem && (
          <div className={classNames(layout.stack3, styles.problem)}>
            <LookupStatus
              lookup={lookup}
              here={`/merchants/${encodeURIComponent(id)}`}
              heading="h1"
              retryText={t('retry')}
            />
          </div>
        )}
        {found.isPending && !problem && <Loading />}
        {merchant && (
          <article>
            <div className={styles.head}>
              <div className={styles.picture}>
                <Picture name={pictureOfMerchant(merchant)} />
              </div>
              <div>
                <PageHead title={merchant.name} lead={merchant.about} />
                <p className={layout.hint}>{`${merchant.category} ·\u00a0${keepNumber(merchant.address)}`}</p>
              </div>
            </div>
            <MerchantCoupons coupons={coupons} />
            {found.hasNextPage && (
              <Button busy={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
                {t('more')}
              </Button>
            )}
            {coupons.every(isOver) && (
              <ButtonLink href="/" variant="primary">
                {t('toSale')}
              </ButtonLink>
            )}
          </article>
        )}
      </WindowLayout>
    </>
  );
}

/** Lists the coupons of a merchant, open ones first. */
function MerchantCoupons({ coupons }: { coupons: Coupon[] }) {
  const t = useTranslations('merchants');
  if (coupons.length === 0)
    return <p className={classNames(layout.soft, styles.section)}>{t('noCoupons')}</p>;
  return (
    <>
      <CouponGroup title={t('openNow')} coupons={coupons.filter((coupon) => !isOver(coupon))} />
      <CouponGroup title={t('over')} coupons={coupons.filter(isOver)} />
    </>
  );
}

function CouponGroup({ title, coupons }: { title: string; coupons: Coupon[] }) {
  const t = useTranslations('coupon');
  if (coupons.length === 0) return null;
  return (
    <section className={classNames(layout.stack3, styles.section)} aria-label={title}>
      <h2 className={layout.title}>{title}</h2>
      <ul className={layout.stack2}>
        {coupons.map((coupon) => (
          <li key={coupon.id} className={classNames(styles.coupon, isOver(coupon) && styles.over)}>
            <div className={styles.thumb}>
              <Picture name={pictureOfCoupon(coupon)} />
            </div>
            <div>
              <p id={`${coupon.id}-title`} className={classNames(layout.strong, styles.couponTitle)}>
                {coupon.title}
              </p>
              <CouponPrice coupon={coupon} />
            </div>
            <div className={classNames(layout.row2, styles.next)}>
              {coupon.state !== 'live' && (
                <Badge tone={couponTones[coupon.state]}>{t(`state.${coupon.state}`)}</Badge>
              )}
              {!isOver(coupon) && <ToCoupon coupon={coupon} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Leads to the coupon on the sale page, where shoppers buy it next to the windows. */
function ToCoupon({ coupon: { id, kind, state } }: { coupon: Coupon }) {
  const t = useTranslations('merchants');
  const linkId = useId();
  return (
    <ButtonLink
      id={linkId}
      aria-labelledby={`${linkId} ${id}-title`}
      href={`/#${encodeURIComponent(id)}`}
      variant={kind === 'seckill' && state === 'live' ? 'primary' : 'secondary'}
    >
      {t(state === 'live' ? `toCoupon.${kind}` : 'toCoupon.other')}
    </ButtonLink>
  );
}

function isOver({ state }: Coupon): boolean {
  return state === 'sold-out' || state === 'ended';
}

/** Reserves the height of a merchant with one coupon, so that the window below does not move. */
function Loading() {
  const t = useTranslations('merchants');
  return (
    <div className={layout.stack3} role="status" aria-label={t('loading')}>
      <div className={styles.head}>
        <div className={styles.picture}>
          <Skeleton shape="panel" />
        </div>
        <div className={classNames(layout.stack3, layout.top, styles.blankWords)}>
          <Skeleton shape="line" />
          <Skeleton shape="line" />
        </div>
      </div>
      <Skeleton shape="line" />
      <div className={styles.blankCoupon}>
        <Skeleton shape="panel" />
      </div>
    </div>
  );
}
