import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { Section } from '../../_components/ui/section';
import { useServerClock } from '../../_live/live-provider';
import { useTRPC } from '../../_trpc/client';
import { useInfiniteQuery } from '../../_trpc/query';
import { useOpsFeed } from '../live/ops-feed-provider';
import { OpenerButton } from '../opener-button';
import type { OpsCoupon, OpsCouponPage, OpsMerchant } from '../types';
import { useRefetchOnChange } from '../use-refetch-on-change';
import { AddStock, CloseSale, CreateCoupon, EditCoupon } from './coupon-actions';
import { type RowAction, useCouponColumns } from './coupon-columns';

interface Props {
  first: OpsCouponPage;
  merchants: OpsMerchant[];
}

/** The ledger usually has a purchase this long after its admission. */
const SETTLE_MS = 1_500;

type Open = { what: 'create' } | { what: RowAction; id: string };

/** Lists all sales with their actions. One form is open at a time. */
export function CouponsSection({ first, merchants }: Props) {
  const t = useTranslations('opsSales');
  const trpc = useTRPC();
  const clock = useServerClock(first.serverNow);
  const [open, setOpen] = useState<Open>();
  const [done, setDone] = useState<string>();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    trpc.ops.coupons.infiniteQueryOptions(
      {},
      {
        getNextPageParam: ({ nextCursor }) => nextCursor,
        initialData: { pages: [first], pageParams: [null] },
      },
    ),
  );
  useRefetchOnChange({
    signal: useOpsFeed(({ event }) =>
      event?.rates.map(({ policy, admitted }) => (policy === 'coupon.seckill' ? admitted : '')).join(),
    ),
    queries: [trpc.ops.coupons.pathFilter()],
    settleMs: SETTLE_MS,
  });

  const coupons = useMemo(() => data.pages.flatMap((page) => page.coupons), [data]);
  const openOf = (coupon: OpsCoupon): RowAction | undefined =>
    open && open.what !== 'create' && open.id === coupon.id ? open.what : undefined;
  const columns = useCouponColumns({
    openOf,
    onToggle: (what, { id }) =>
      setOpen(open && open.what === what && open.id === id ? undefined : { what, id }),
    now: data.pages.at(-1)?.serverNow ?? first.serverNow,
  });
  const closing = open?.what === 'close' ? coupons.find(({ id }) => id === open.id) : undefined;

  function finish(words: string): void {
    setOpen(undefined);
    setDone(words);
  }

  return (
    <Section
      title={t('coupons.title')}
      lead={t('coupons.lead')}
      actions={
        <OpenerButton
          isOpen={open?.what === 'create'}
          label={t('coupons.create')}
          onToggle={() => setOpen(open?.what === 'create' ? undefined : { what: 'create' })}
        >
          {t('coupons.create')}
        </OpenerButton>
      }
    >
      <div role="status" className={layout.hiddenIfEmpty}>
        {done && <Notice tone="good">{done}</Notice>}
      </div>
      {open?.what === 'create' && (
        <CreateCoupon
          merchants={merchants}
          now={clock.now()}
          onDone={(title) => finish(t('coupons.created', { title }))}
          onCancel={() => setOpen(undefined)}
        />
      )}
      <DataTable
        label={t('coupons.title')}
        columns={columns}
        rows={coupons}
        rowId={({ id }) => id}
        empty={t('coupons.empty')}
        detail={(coupon) => {
          const what = openOf(coupon);
          if (what === 'edit') {
            return (
              <EditCoupon
                coupon={coupon}
                merchants={merchants}
                now={clock.now()}
                onDone={(title) => finish(t('coupons.changed', { title }))}
                onCancel={() => setOpen(undefined)}
              />
            );
          }
          if (what !== 'stock') return undefined;
          return (
            <AddStock
              coupon={coupon}
              onDone={(title, pieces) => finish(t('coupons.restocked', { title, pieces }))}
              onCancel={() => setOpen(undefined)}
            />
          );
        }}
      />
      {hasNextPage && (
        <div>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      )}
      <CloseSale
        coupon={closing}
        onDone={(title) => finish(t('coupons.closed', { title }))}
        onCancel={() => setOpen(undefined)}
      />
    </Section>
  );
}
