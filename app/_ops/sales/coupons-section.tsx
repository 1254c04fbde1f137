import { useInfiniteQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { Notice } from '../../_components/ui/status';
import { useServerClock } from '../../_live/live-provider';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { useOpsFeed } from '../live/ops-feed-provider';
import { CsvButton } from '../tables/csv-button';
import { TablePages } from '../tables/table-pages';
import { usePaging } from '../tables/use-paging';
import type { OpsCoupon, OpsCouponPage, OpsMerchant } from '../types';
import { useRefetchOnChange } from '../use-refetch-on-change';
import { type RowAction, useCouponColumns } from './coupon-columns';

interface Props {
  first: OpsCouponPage;
  merchants: OpsMerchant[];
}

/** The ledger usually has a purchase this long after its admission. */
const SETTLE_MS = 1_500;

/** The open dialog. */
export type OpenDialog = { what: 'create' } | { what: RowAction; coupon: OpsCoupon };

const loadSaleDialogs = () => import('./sale-dialogs');
const SaleDialogs = dynamic(loadSaleDialogs);

/** Lists all sales, 20 per page, with the actions of each. */
export function CouponsSection({ first, merchants }: Props) {
  const t = useTranslations('opsSales');
  const trpc = useTRPC();
  const client = useTRPCClient();
  const clock = useServerClock(first.serverNow);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [hasOpened, setHasOpened] = useState(false);
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
  const paging = usePaging({
    loaded: coupons.length,
    hasMore: hasNextPage,
    isLoading: isFetchingNextPage,
    loadMore: fetchNextPage,
  });
  const columns = useCouponColumns({
    onAction: (what, coupon) => open({ what, coupon }),
    onNear: () => void loadSaleDialogs(),
    now: data.pages.at(-1)?.serverNow ?? first.serverNow,
  });

  function open(next: OpenDialog): void {
    setHasOpened(true);
    setDialog(next);
  }

  return (
    <Section
      title={t('coupons.title')}
      lead={t('coupons.lead')}
      actions={
        <>
          <CsvButton
            label={t('coupons.title')}
            fileName="floodgate-coupons"
            columns={columns}
            rows={coupons}
            readPage={async (cursor) => {
              const { coupons: rows, nextCursor } = await client.ops.coupons.query({ cursor });
              return { rows, nextCursor };
            }}
          />
          <Button
            aria-haspopup="dialog"
            onPointerEnter={() => void loadSaleDialogs()}
            onFocus={() => void loadSaleDialogs()}
            onClick={() => open({ what: 'create' })}
          >
            {t('coupons.create')}
          </Button>
        </>
      }
    >
      {/* Takes the focus of a button that is gone: a closed sale has no actions. */}
      <div role="status" className={layout.hiddenIfEmpty} data-focus-next="">
        {done && <Notice tone="good">{done}</Notice>}
      </div>
      <TablePages label={t('coupons.title')} paging={paging} />
      <DataTable
        label={t('coupons.title')}
        columns={columns}
        rows={coupons}
        rowId={({ id }) => id}
        empty={t('coupons.empty')}
        range={paging.range}
        manyColumns
      />
      {hasOpened && (
        <SaleDialogs
          open={dialog}
          merchants={merchants}
          now={clock.now()}
          onDone={(words) => {
            setDialog(undefined);
            setDone(words);
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Section>
  );
}
