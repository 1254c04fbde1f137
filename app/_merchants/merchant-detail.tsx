'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../_components/problem-note';
import { Button } from '../_components/ui/button';
import { ButtonLink } from '../_components/ui/button-link';
import { PageHead } from '../_components/ui/page-head';
import { Panel } from '../_components/ui/panel';
import { Skeleton } from '../_components/ui/skeleton';
import { useDurations } from '../_i18n/use-durations';
import { useTRPC } from '../_trpc/client';
import { MerchantCoupons } from './merchant-coupons';
import styles from './merchant-detail.module.css';
import { useLimitedQuery } from './use-limited-query';

/** One merchant, through the limited procedure. */
export function MerchantDetail({ id }: { id: string }) {
  const t = useTranslations('merchants');
  const { wait } = useDurations();
  const trpc = useTRPC();
  const found = useQuery(trpc.merchant.byId.queryOptions({ id }, { refetchOnWindowFocus: false }));
  const { problem, againInSeconds } = useLimitedQuery(found);

  return (
    <div className={styles.page}>
      <Link className={styles.back} href="/merchants">
        {t('back')}
      </Link>
      {problem && (
        <div className={styles.problem} role="status">
          <ProblemNote problem={problem} here={`/merchants/${encodeURIComponent(id)}`} />
          {problem.kind !== 'missing' && (
            <Button closed={againInSeconds > 0} busy={found.isFetching} onClick={() => found.refetch()}>
              {againInSeconds > 0 ? t('againIn', { time: wait(againInSeconds) }) : t('retry')}
            </Button>
          )}
        </div>
      )}
      {found.isPending && (
        <div className={styles.loading} role="status" aria-label={t('loading')}>
          <Skeleton shape="line" />
          <Skeleton shape="row" />
          <Skeleton shape="row" />
        </div>
      )}
      {found.data && (
        <>
          <PageHead title={found.data.merchant.name} lead={found.data.merchant.about} />
          <Panel>
            <dl className={styles.facts}>
              <dt>{t('address')}</dt>
              <dd>
                {found.data.merchant.address} · {found.data.merchant.category}
              </dd>
            </dl>
            <h2 className={styles.title}>{t('theirCoupons')}</h2>
            <MerchantCoupons coupons={found.data.coupons} />
            <div>
              <ButtonLink href="/">{t('toSale')}</ButtonLink>
            </div>
          </Panel>
        </>
      )}
    </div>
  );
}
