'use client';

import { ChevronLeft } from 'lucide-react';
import { useLocale, useTranslations } from 'next-intl';
import { couponTones } from '../_components/coupon-tones';
import { Badge } from '../_components/ui/badge';
import { BlankPage } from '../_components/ui/blank-page';
import { Button } from '../_components/ui/button';
import { ButtonLink } from '../_components/ui/button-link';
import layout from '../_components/ui/layout.module.css';
import { Link } from '../_components/ui/link';
import { PageHead } from '../_components/ui/page-head';
import { Panel } from '../_components/ui/panel';
import { Skeleton } from '../_components/ui/skeleton';
import { formatMoney } from '../_i18n/money';
import { useDurations } from '../_i18n/use-durations';
import { useTRPC } from '../_trpc/client';
import { useQuery } from '../_trpc/query';
import type { Coupon } from '../_trpc/types';
import { WindowLayout } from '../_window/window-layout';
import styles from './merchant-detail.module.css';
import { SearchProblem, useLimitedQuery } from './search-problem';

/** Shows a merchant, read through the limited procedure. */
export function MerchantDetail({ id }: { id: string }) {
  const t = useTranslations('merchants');
  const { wait } = useDurations();
  const trpc = useTRPC();
  const found = useQuery(
    trpc.merchant.byId.queryOptions({ id }, { refetchOnWindowFocus: false, retry: false }),
  );
  const { problem, retryInSeconds } = useLimitedQuery(found);

  if (problem?.kind === 'missing') {
    return (
      <BlankPage title={t('missing')} text={t('missingText')}>
        <ButtonLink href="/merchants" variant="primary">
          {t('back')}
        </ButtonLink>
      </BlankPage>
    );
  }
  return (
    <>
      <Link className={styles.back} href="/merchants">
        <ChevronLeft size={16} aria-hidden="true" />
        {t('back')}
      </Link>
      <WindowLayout onPhone="below" call={{ path: 'merchant.byId', input: { id } }}>
        {problem && (
          <div className={styles.problem} role="status">
            <SearchProblem
              problem={problem}
              here={`/merchants/${encodeURIComponent(id)}`}
              heading="h1"
              retry={found.refetch}
            >
              <Button closed={retryInSeconds > 0} busy={found.isFetching} onClick={() => found.refetch()}>
                {retryInSeconds > 0 ? t('againIn', { time: wait(retryInSeconds) }) : t('retry')}
              </Button>
            </SearchProblem>
          </div>
        )}
        {found.isPending && !problem && <Loading />}
        {found.data && (
          <div>
            <PageHead title={found.data.merchant.name} lead={found.data.merchant.about} />
            <Panel>
              <dl className={styles.facts}>
                <div>
                  <dt>{t('category')}</dt>
                  <dd>{found.data.merchant.category}</dd>
                </div>
                <div>
                  <dt>{t('address')}</dt>
                  <dd>{found.data.merchant.address}</dd>
                </div>
              </dl>
              <h2 className={layout.title}>{t('theirCoupons')}</h2>
              <MerchantCoupons coupons={found.data.coupons} />
              <div>
                <ButtonLink href="/" variant="primary">
                  {t('toSale')}
                </ButtonLink>
              </div>
            </Panel>
          </div>
        )}
      </WindowLayout>
    </>
  );
}

/** Lists the coupons of a merchant. Shoppers buy them on the sale page, next to the windows. */
function MerchantCoupons({ coupons }: { coupons: Coupon[] }) {
  const t = useTranslations('merchants');
  const tCoupon = useTranslations('coupon');
  const language = useLocale();
  if (coupons.length === 0) return <p className={layout.soft}>{t('noCoupons')}</p>;
  return (
    <ul>
      {sortOpenFirst(coupons).map(({ id, kind, title, state, priceCents, faceValueCents }) => {
        const price = priceCents === 0 ? tCoupon('free') : formatMoney(priceCents, language);
        const value = formatMoney(faceValueCents, language);
        return (
          <li key={id} className={styles.coupon}>
            <span className={styles.money}>
              <strong className={styles.price}>{kind === 'claim' ? value : price}</strong>{' '}
              <span className={layout.hint}>{kind === 'claim' ? price : tCoupon('worth', { value })}</span>
            </span>
            <span className={styles.couponTitle}>{title}</span>
            {(kind === 'seckill' || state !== 'live') && (
              <Badge tone={couponTones[state]}>{tCoupon(`state.${state}`)}</Badge>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Sorts open coupons first. */
function sortOpenFirst(coupons: Coupon[]): Coupon[] {
  const rank = ({ state }: Coupon) => (state === 'sold-out' || state === 'ended' ? 1 : 0);
  return coupons.toSorted((a, b) => rank(a) - rank(b));
}

function Loading() {
  const t = useTranslations('merchants');
  return (
    <div className={layout.stack3} role="status" aria-label={t('loading')}>
      <Skeleton shape="line" />
      <Skeleton shape="line" />
      <Skeleton shape="row" />
      <Skeleton shape="row" />
    </div>
  );
}
