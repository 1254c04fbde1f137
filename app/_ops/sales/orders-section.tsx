import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import type { Column } from '../../_components/ui/data-table';
import { Choice } from '../../_components/ui/field';
import { Badge, type BadgeTone, Notice } from '../../_components/ui/status';
import { useLanguage } from '../../_i18n/language';
import { formatMoney } from '../../_i18n/numbers';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { ClockTime } from '../formats';
import { useOpsFeed } from '../live/ops-feed-provider';
import { moneyFileColumn, toCsvInstant } from '../tables/csv-button';
import { idColumn, instantColumn, TableSection } from '../tables/table-section';
import type { OpsOrder, OpsOrderPage, OrderStatus } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import styles from './sales.module.css';

const SETTLE_MS = 1_500;
/** Each selects the rows with the label of the same name. */
const filters = ['held', 'ready', 'cancelled', 'expired'] as const satisfies OrderStatus[];

/** The states of an order as its shopper sees them. */
const tones = {
  reserved: 'neutral',
  held: 'accent',
  ready: 'good',
  cancelled: 'neutral',
  expired: 'neutral',
} as const satisfies Record<string, BadgeTone>;

/** Returns the state of an order in the words of the wallet. A confirmed order with a price waits for its payment. */
export function toShownStatus({
  status,
  priceCents,
}: Pick<OpsOrder, 'status' | 'priceCents'>): keyof typeof tones {
  if (status === 'confirmed') return priceCents > 0 ? 'held' : 'ready';
  return status === 'paid' ? 'ready' : status;
}

/** Lists the orders, newest first, all or by status, 20 per page. */
export function OrdersSection({ first }: { first: OpsOrderPage }) {
  const t = useTranslations('opsSales');
  const name = useId();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [status, setStatus] = useState<OrderStatus | 'all'>('all');
  const filter = status === 'all' ? {} : { status };
  const query = useInfiniteQuery(
    trpc.ops.orders.infiniteQueryOptions(filter, {
      getNextPageParam: ({ nextCursor }) => nextCursor,
      ...(status === 'all' && { initialData: { pages: [first], pageParams: [null] } }),
    }),
  );
  useRefetchOnChange({
    signal: useOpsFeed(({ event }) =>
      event?.rates.map(({ policy, admitted }) => (policy.startsWith('coupon.') ? admitted : '')).join(),
    ),
    queries: [trpc.ops.orders.pathFilter()],
    settleMs: SETTLE_MS,
  });

  return (
    <TableSection
      title={t('orders.title')}
      lead={t('orders.lead')}
      fileName="floodgate-orders"
      columns={useOrderColumns()}
      rows={query.data?.pages.flatMap((page) => page.orders)}
      rowId={({ id }) => id}
      empty={t(status === 'all' ? 'orders.none' : 'orders.empty')}
      expectedRows={8}
      manyColumns
      list={status}
      query={query}
      readPage={async (cursor) => {
        const { orders: rows, nextCursor } = await client.ops.orders.query({ ...filter, cursor });
        return { rows, nextCursor };
      }}
    >
      <div className={styles.filter}>
        <Choice<OrderStatus | 'all'>
          legend={t('orders.filter')}
          name={name}
          value={status}
          options={[
            { value: 'all', label: t('orders.all') },
            ...filters.map((one) => ({ value: one, label: t(`orders.status.${one}`) })),
          ]}
          onChange={setStatus}
        />
      </div>
      {query.isError && <Notice tone="unavailable">{t('unread')}</Notice>}
    </TableSection>
  );
}

/** Returns the columns of the orders. */
function useOrderColumns(): Column<OpsOrder>[] {
  const t = useTranslations('opsSales.orders');
  const tCoupon = useTranslations('coupon');
  const language = useLanguage();
  return [
    {
      id: 'coupon',
      header: t('column.coupon'),
      sortBy: ({ couponTitle }) => couponTitle[language],
      csv: [
        { header: t('column.coupon'), read: ({ couponTitle }) => couponTitle[language] },
        { header: t('column.opened'), read: ({ couponStartsAt }) => toCsvInstant(couponStartsAt) },
      ],
      // The rounds of a sale have one title.
      cell: ({ couponTitle, couponStartsAt }) => (
        <span className={styles.name}>
          {couponTitle[language]}
          <span className={styles.second}>
            {t.rich('started', { at: () => <ClockTime at={couponStartsAt} /> })}
          </span>
        </span>
      ),
    },
    idColumn({ id: 'id', header: t('column.id') }, ({ id }) => id),
    instantColumn({ id: 'at', header: t('column.at') }, ({ createdAt }) => createdAt),
    idColumn({ id: 'shopper', header: t('column.shopper') }, ({ userId }) => userId),
    {
      id: 'status',
      card: 'end',
      header: t('column.status'),
      sortBy: (order) => t(`status.${toShownStatus(order)}`),
      cell: (order) => {
        const status = toShownStatus(order);
        return <Badge tone={tones[status]}>{t(`status.${status}`)}</Badge>;
      },
    },
    {
      id: 'price',
      header: t('column.price'),
      kind: 'number',
      sortBy: ({ priceCents }) => priceCents,
      csv: [moneyFileColumn(t('column.price'), ({ priceCents }) => priceCents)],
      cell: ({ priceCents }) => (priceCents === 0 ? tCoupon('free') : formatMoney(priceCents)),
    },
    {
      id: 'payment',
      header: t('column.payment'),
      sortBy: ({ payment }) => payment,
      csv: ({ payment }) => payment && t(`payment.${payment}`),
      cell: ({ payment }) => (payment ? t(`payment.${payment}`) : undefined),
    },
  ];
}
