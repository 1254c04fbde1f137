'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { sentenceGap } from '../../_i18n/language';
import { formatMoney } from '../../_i18n/numbers';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { moneyFileColumn } from '../tables/csv-button';
import { idColumn, instantColumn, TableSection } from '../tables/table-section';
import type { DeadLetter, OpsCouponPage, OpsMerchantPage, OpsOrderPage, Refund } from '../types';
import { useRefetchAfterOutage } from '../use-refetch';
import { CouponsSection } from './coupons-section';
import { OrdersSection } from './orders-section';
import styles from './sales.module.css';

interface Props {
  coupons: OpsCouponPage;
  merchants: OpsMerchantPage;
  orders: OpsOrderPage;
  refunds: { refunds: Refund[] };
  /** Absent: Redis did not respond. */
  deadLetters: { deadLetters: DeadLetter[] } | undefined;
}

/** Shows what needs a person first (refunds due, dead letters), then sales and orders. A list without rows is one sentence. */
export function SalesBoard({ coupons, merchants, orders, refunds: firstRefunds, deadLetters }: Props) {
  const t = useTranslations('opsSales');
  const gap = sentenceGap(useLocale());
  const trpc = useTRPC();
  const {
    data: { refunds },
  } = useQuery({ ...trpc.ops.refunds.queryOptions(), initialData: firstRefunds });
  const letters = useQuery({
    ...trpc.ops.deadLetters.queryOptions(),
    ...(deadLetters && { initialData: deadLetters }),
  });
  useRefetchAfterOutage({
    ...{ store: 'redis', error: letters.error },
    queries: [trpc.ops.deadLetters.queryFilter()],
  });
  const hasNoLetters = !letters.error && letters.data?.deadLetters.length === 0;
  const clear = [
    ...(refunds.length === 0 ? [t('refunds.empty')] : []),
    ...(hasNoLetters ? [t('deadLetters.empty')] : []),
  ];
  return (
    <>
      {refunds.length > 0 && <RefundsSection rows={refunds} />}
      {!hasNoLetters && <DeadLettersSection rows={letters.data?.deadLetters} error={letters.error} />}
      {clear.length > 0 && <p className={classNames(layout.hint, styles.clear)}>{clear.join(gap)}</p>}
      <CouponsSection first={coupons} merchants={merchants} />
      <OrdersSection first={orders} />
    </>
  );
}

/** Lists refunds due: the provider sends them, or else an operator by hand. */
function RefundsSection({ rows }: { rows: Refund[] }) {
  const t = useTranslations('opsSales.refunds');
  const columns: Column<Refund>[] = [
    idColumn({ id: 'payment', card: 'cell', header: t('payment') }, ({ paymentId }) => paymentId),
    {
      id: 'amount',
      header: t('amount'),
      kind: 'number',
      sortBy: ({ amountCents }) => amountCents,
      csv: [moneyFileColumn(t('amount'), ({ amountCents }) => amountCents)],
      cell: ({ amountCents }) => formatMoney(amountCents),
    },
    instantColumn({ id: 'since', header: t('since') }, ({ since }) => since),
    idColumn({ id: 'order', header: t('order') }, ({ orderId }) => orderId),
    idColumn({ id: 'shopper', header: t('shopper') }, ({ userId }) => userId),
    {
      id: 'sent',
      card: 'end',
      header: t('sent'),
      csv: [{ header: t('attempts'), read: ({ attempts }) => attempts }],
      cell: (refund) =>
        refund.byHand ? <MarkRefundSent refund={refund} /> : t('requested', { attempts: refund.attempts }),
    },
  ];
  return (
    <TableSection
      fileName="floodgate-refunds"
      title={t('title')}
      lead={t('lead')}
      columns={columns}
      rows={rows}
      rowId={({ paymentId }) => paymentId}
      empty={t('empty')}
      expectedRows={1}
      manyColumns
    />
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
function DeadLettersSection({ rows, error }: { rows: DeadLetter[] | undefined; error: unknown }) {
  const t = useTranslations('opsSales.deadLetters');
  const columns: Column<DeadLetter>[] = [
    {
      id: 'entry',
      card: 'cell',
      header: t('entry'),
      csv: ({ entryId }) => entryId,
      cell: ({ entryId }) => <code>{entryId}</code>,
    },
    instantColumn({ id: 'at', header: t('at') }, ({ deadAt }) => deadAt),
    {
      id: 'why',
      card: 'line',
      header: t('why'),
      sortBy: ({ why }) => why,
      cell: ({ why }) => (why === NO_ORDER ? t('noOrder') : why),
    },
    idColumn({ id: 'coupon', header: t('coupon') }, ({ couponId }) => couponId),
    idColumn({ id: 'order', header: t('order') }, ({ orderId }) => orderId),
  ];
  if (error) {
    return (
      <Section title={t('title')}>
        <ProblemNote problem={problemOf(error)} here="/ops/sales" />
      </Section>
    );
  }
  return (
    <TableSection
      fileName="floodgate-dead-letters"
      title={t('title')}
      lead={t('lead')}
      columns={columns}
      rows={rows}
      rowId={({ couponId, id }) => `${couponId}:${id}`}
      empty={t('empty')}
      expectedRows={1}
      manyColumns
    />
  );
}
