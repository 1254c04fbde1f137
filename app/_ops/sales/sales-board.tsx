'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/section';
import { formatMoney } from '../../_i18n/money';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { useQuery, useQueryClient } from '../../_trpc/query';
import { useMutation } from '../../_trpc/use-mutation';
import { ClockTime } from '../clock-time';
import { Identifier } from '../identifier';
import { TableTools } from '../tables/table-tools';
import { toCsvInstant } from '../tables/to-csv-instant';
import { usePaging } from '../tables/use-paging';
import type { DeadLetter, OpsCouponPage, OpsMerchant, OpsOrderPage, Refund } from '../types';
import { CouponsSection } from './coupons-section';
import { OrdersSection } from './orders-section';

interface Props {
  coupons: OpsCouponPage;
  merchants: OpsMerchant[];
  orders: OpsOrderPage;
  refunds: { refunds: Refund[] };
  /** Absent: Redis did not respond. */
  deadLetters: { deadLetters: DeadLetter[] } | undefined;
}

/** Shows what needs a person first (refunds due, dead letters), then sales and orders. */
export function SalesBoard({ coupons, merchants, orders, refunds, deadLetters }: Props) {
  return (
    <>
      <RefundsSection first={refunds} />
      <DeadLettersSection first={deadLetters} />
      <CouponsSection first={coupons} merchants={merchants} />
      <OrdersSection first={orders} />
    </>
  );
}

/** Lists refunds due: the provider sends them, or else an operator by hand. */
function RefundsSection({ first }: { first: { refunds: Refund[] } }) {
  const t = useTranslations('opsSales.refunds');
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.ops.refunds.queryOptions(), initialData: first });
  const columns = useMemo(
    (): Column<Refund>[] => [
      {
        id: 'payment',
        card: 'labelledStart',
        header: t('payment'),
        csv: ({ paymentId }) => paymentId,
        cell: ({ paymentId }) => <Identifier id={paymentId} />,
      },
      {
        id: 'amount',
        card: 'labelled',
        header: t('amount'),
        kind: 'number',
        sortBy: ({ amountCents }) => amountCents,
        csv: ({ amountCents }) => amountCents / 100,
        cell: ({ amountCents }) => formatMoney(amountCents),
      },
      {
        id: 'since',
        card: 'labelledEnd',
        header: t('since'),
        sortBy: ({ since }) => since,
        csv: ({ since }) => toCsvInstant(since),
        cell: ({ since }) => <ClockTime at={since} />,
      },
      {
        id: 'order',
        card: 'labelled',
        header: t('order'),
        csv: ({ orderId }) => orderId,
        cell: ({ orderId }) => <Identifier id={orderId} />,
      },
      {
        id: 'shopper',
        card: 'labelledEnd',
        header: t('shopper'),
        csv: ({ userId }) => userId,
        cell: ({ userId }) => <Identifier id={userId} />,
      },
      {
        id: 'sent',
        card: 'topEnd',
        header: t('sent'),
        kind: 'actions',
        csv: ({ attempts }) => t('requested', { attempts }),
        cell: (refund) =>
          refund.byHand ? <MarkRefundSent refund={refund} /> : t('requested', { attempts: refund.attempts }),
      },
    ],
    [t],
  );
  return (
    <Section title={t('title')} lead={data.refunds.length > 0 && t('lead')}>
      <SectionTable
        fileName="floodgate-refunds"
        label={t('title')}
        columns={columns}
        rows={data.refunds}
        rowId={({ paymentId }) => paymentId}
        empty={t('empty')}
      />
    </Section>
  );
}

/** Marks a refund as sent, which ends it and notifies the shopper. */
function MarkRefundSent({ refund: { paymentId } }: { refund: Refund }) {
  const t = useTranslations('opsSales.refunds');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.ops.markRefundSent.mutationOptions({
      // Awaited, because a click before the row disappears would have no effect.
      onSuccess: () => queryClient.invalidateQueries(trpc.ops.refunds.queryFilter()),
    }),
  );
  return (
    <>
      <Button
        aria-label={t('markSentLabel', { payment: paymentId })}
        busy={isPending}
        onClick={() => mutate({ paymentId })}
      >
        {t('markSent')}
      </Button>
      <span role="status" className={layout.failed}>
        {error && t('notMarked')}
      </span>
    </>
  );
}

/** The reason of an entry without an order. Every other reason is an SQLSTATE with its constraint. */
const NO_ORDER = 'is no order';

/** Lists the dead letters. They are in Redis, so this section can fail alone. */
function DeadLettersSection({ first }: { first: Props['deadLetters'] }) {
  const t = useTranslations('opsSales.deadLetters');
  const trpc = useTRPC();
  const { data, error } = useQuery({
    ...trpc.ops.deadLetters.queryOptions(),
    ...(first && { initialData: first }),
  });
  const columns = useMemo(
    (): Column<DeadLetter>[] => [
      {
        id: 'entry',
        card: 'labelledStart',
        header: t('entry'),
        csv: ({ entryId }) => entryId,
        cell: ({ entryId }) => <code>{entryId}</code>,
      },
      {
        id: 'at',
        card: 'labelled',
        header: t('at'),
        sortBy: ({ deadAt }) => deadAt,
        csv: ({ deadAt }) => toCsvInstant(deadAt),
        cell: ({ deadAt }) => <ClockTime at={deadAt} />,
      },
      {
        id: 'why',
        card: 'line',
        header: t('why'),
        sortBy: ({ why }) => why,
        cell: ({ why }) => (why === NO_ORDER ? t('noOrder') : why),
      },
      {
        id: 'coupon',
        card: 'labelled',
        header: t('coupon'),
        csv: ({ couponId }) => couponId,
        cell: ({ couponId }) => <Identifier id={couponId} />,
      },
      {
        id: 'order',
        card: 'labelled',
        header: t('order'),
        csv: ({ orderId }) => orderId ?? '',
        cell: ({ orderId }) => orderId && <Identifier id={orderId} />,
      },
    ],
    [t],
  );
  return (
    <Section title={t('title')} lead={data !== undefined && data.deadLetters.length > 0 && t('lead')}>
      {error ? (
        <ProblemNote problem={problemOf(error)} here="/ops/sales" />
      ) : (
        <SectionTable
          fileName="floodgate-dead-letters"
          label={t('title')}
          columns={columns}
          rows={data?.deadLetters}
          rowId={({ couponId, id }) => `${couponId}:${id}`}
          empty={t('empty')}
        />
      )}
    </Section>
  );
}

interface SectionTableProps<Row> {
  fileName: string;
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  empty: string;
}

/** A table of a list that arrives whole, 20 rows per page. An empty list is one line. */
function SectionTable<Row extends object>({ fileName, rows, ...table }: SectionTableProps<Row>) {
  const paging = usePaging({
    loaded: rows?.length ?? 0,
    hasMore: false,
    isLoading: false,
    loadMore: () => Promise.resolve(),
  });
  if (rows?.length === 0) return <p className={layout.hint}>{table.empty}</p>;
  return (
    <>
      <TableTools {...table} fileName={fileName} paging={paging} readRows={() => rows ?? []} />
      <DataTable {...table} rows={rows} expectedRows={1} range={paging.range} manyColumns dense />
    </>
  );
}
