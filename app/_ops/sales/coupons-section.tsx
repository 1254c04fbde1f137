import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { couponTones } from '../../_components/coupon';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { Badge, Notice } from '../../_components/ui/status';
import { useLanguage } from '../../_i18n/language';
import { formatMoney } from '../../_i18n/numbers';
import { useCouponsVersion, useServerClock } from '../../_live/live-provider';
import { useReloadOnChange } from '../../_live/use-reload-on-change';
import { Picture, pictureOfCoupon } from '../../_pictures/picture';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import type { Coupon } from '../../_trpc/types';
import { ClockTime } from '../formats';
import { useOpsFeed } from '../live/ops-feed-provider';
import { moneyFileColumn, toCsvInstant } from '../tables/csv-button';
import { instantColumn, TableSection } from '../tables/table-section';
import type { OpsCoupon, OpsCouponPage, OpsMerchantPage } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import styles from './sales.module.css';

interface Props {
  first: OpsCouponPage;
  merchants: OpsMerchantPage;
}

/** The ledger usually has a purchase this long after its admission. */
const SETTLE_MS = 1_500;

type RowAction = 'edit' | 'stock' | 'close';

/** The open dialog. */
export type OpenDialog = { what: 'create' } | { what: RowAction; coupon: OpsCoupon };

const loadSaleDialogs = () => import('./sale-dialogs');
const SaleDialogs = dynamic(loadSaleDialogs, { loading: () => null });

/** The props of a button that opens a dialog. The dialogs load when the pointer or the focus comes near. */
const opensDialog = {
  'aria-haspopup': 'dialog',
  onPointerEnter: () => void loadSaleDialogs(),
  onFocus: () => void loadSaleDialogs(),
} as const;

/** Lists all sales by state and end, 20 per page, with the actions of each. */
export function CouponsSection({ first, merchants }: Props) {
  const t = useTranslations('opsSales.coupons');
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const clock = useServerClock(first.serverNow);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [hasDialogs, setHasDialogs] = useState(false);
  const [done, setDone] = useState<string>();
  const query = useInfiniteQuery(
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
  // Another operator may change, close or create one.
  useReloadOnChange({
    value: useCouponsVersion(),
    reload: () => void queryClient.invalidateQueries(trpc.ops.coupons.pathFilter()),
  });

  const now = query.data.pages.at(-1)?.serverNow ?? first.serverNow;

  function open(next: OpenDialog): void {
    setHasDialogs(true);
    setDialog(next);
  }

  return (
    <TableSection
      title={t('title')}
      lead={t('lead')}
      fileName="floodgate-coupons"
      columns={useCouponColumns({ onOpen: open, now })}
      rows={query.data.pages.flatMap((page) => page.coupons)}
      rowId={({ id }) => id}
      empty={t('empty')}
      manyColumns
      query={query}
      readPage={async (cursor) => {
        const { coupons: rows, nextCursor } = await client.ops.coupons.query({ cursor });
        return { rows, nextCursor };
      }}
      actions={
        <Button {...opensDialog} onClick={() => open({ what: 'create' })}>
          {t('create')}
        </Button>
      }
    >
      {/* Takes the focus of a button that is gone: a closed sale has no actions. */}
      <div role="status" className={layout.hiddenIfEmpty} data-focus-next="">
        {done && <Notice tone="good">{done}</Notice>}
      </div>
      {hasDialogs && (
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
    </TableSection>
  );
}

interface ColumnOptions {
  onOpen(dialog: OpenDialog): void;
  /** The server's clock when the rows were read. */
  now: number;
}

/** Returns the columns of the table of sales. Their widths do not depend on dates, which arrive late. */
function useCouponColumns({ onOpen, now }: ColumnOptions): Column<OpsCoupon>[] {
  const t = useTranslations('opsSales.coupons');
  const tCoupon = useTranslations('coupon');
  const language = useLanguage();

  function actionsOf(coupon: OpsCoupon): RowAction[] {
    if (getCouponState(coupon, now) === 'ended') return [];
    return coupon.stock ? ['edit', 'stock', 'close'] : ['edit', 'close'];
  }

  return [
    {
      id: 'title',
      header: t('column.title'),
      sortBy: ({ title }) => title[language],
      csv: [
        { header: t('column.title'), read: ({ title }) => title[language] },
        { header: t('column.merchant'), read: ({ merchantName }) => merchantName[language] },
      ],
      cell: (coupon) => (
        <span className={styles.coupon}>
          <span className={styles.picture}>
            <Picture
              name={pictureOfCoupon({ ...coupon, merchant: { category: coupon.category[language] } })}
            />
          </span>
          <span className={styles.name}>
            {coupon.title[language]}
            <span className={styles.second}>{coupon.merchantName[language]}</span>
          </span>
        </span>
      ),
    },
    {
      id: 'state',
      card: 'end',
      width: '7.75rem',
      header: t('column.state'),
      sortBy: (coupon) => getCouponState(coupon, now),
      csv: (coupon) => tCoupon(`state.${getCouponState(coupon, now)}`),
      cell: (coupon) => {
        const state = getCouponState(coupon, now);
        return <Badge tone={couponTones[state]}>{tCoupon(`state.${state}`)}</Badge>;
      },
    },
    {
      id: 'sold',
      width: '6.75rem',
      header: t('column.sold'),
      sortBy: ({ sold }) => sold,
      sortFirst: 'desc',
      csv: [
        { header: t('column.sold'), read: ({ sold }) => sold },
        { header: t('column.stock'), read: ({ stock }) => stock?.total },
      ],
      cell: ({ stock, sold }) => (
        <span className={classNames(layout.figures, styles.sold)}>
          {stock ? t('sold', { sold, total: stock.total }) : t('soldNoCap', { sold })}
          {stock && <LimitBar value={sold} limit={stock.total} max={stock.total} />}
        </span>
      ),
    },
    {
      id: 'price',
      width: '7.5rem',
      header: t('column.price'),
      kind: 'number',
      sortBy: ({ priceCents }) => priceCents,
      csv: [
        moneyFileColumn(t('column.priceOnly'), ({ priceCents }) => priceCents),
        moneyFileColumn(t('column.faceValue'), ({ faceValueCents }) => faceValueCents),
      ],
      cell: ({ priceCents, faceValueCents }) => (
        <span>
          {priceCents === 0 ? tCoupon('free') : formatMoney(priceCents)}{' '}
          <span className={layout.soft}>/ {formatMoney(faceValueCents)}</span>
        </span>
      ),
    },
    {
      id: 'starts',
      width: '7.5rem',
      header: t('column.starts'),
      sortBy: ({ startsAt }) => startsAt,
      csv: (coupon) => (hasOpened(coupon) ? toCsvInstant(coupon.startsAt) : ''),
      cell: (coupon) =>
        hasOpened(coupon) ? <ClockTime at={coupon.startsAt} to="minute" /> : t('neverOpened'),
    },
    instantColumn(
      { id: 'ends', width: '9.25rem', header: t('column.ends') },
      ({ endsAt }) => endsAt,
      'minute',
    ),
    {
      id: 'actions',
      card: 'line',
      width: '14.75rem',
      header: t('column.actions'),
      // Aligned right, as the actions.
      kind: 'number',
      cell: (coupon) => {
        const actions = actionsOf(coupon);
        const isUpcoming = getCouponState(coupon, now) === 'upcoming';
        const wordOf = (action: RowAction) => (action === 'close' && isUpcoming ? 'cancel' : action);
        return (
          actions.length > 0 && (
            <span className={styles.actions}>
              {actions.map((action) => (
                <Button
                  key={action}
                  variant="quiet"
                  {...opensDialog}
                  aria-label={t(`${wordOf(action)}Label`, { title: coupon.title[language] })}
                  onClick={() => onOpen({ what: action, coupon })}
                >
                  {t(wordOf(action))}
                </Button>
              ))}
            </span>
          )
        );
      },
    },
  ];
}

/** Computes the state of a sale from its ledger row. `paused` is missing: only the gate stores it. */
export function getCouponState(
  { startsAt, endsAt, stock }: Pick<OpsCoupon, 'startsAt' | 'endsAt' | 'stock'>,
  now: number,
): Exclude<Coupon['state'], 'paused'> {
  if (now >= endsAt) return 'ended';
  if (now < startsAt) return 'upcoming';
  return stock && stock.sold >= stock.total ? 'sold-out' : 'live';
}

/** Returns false for a sale that was ended before its start. The server moves its start to 1 ms before its end. */
export function hasOpened({ startsAt, endsAt }: Pick<OpsCoupon, 'startsAt' | 'endsAt'>): boolean {
  return endsAt - startsAt > 1;
}
