'use client';

import { useLocale, useTranslations } from 'next-intl';
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
import type { DeadLetter, OpsCouponPage, OpsMerchant, OpsOrderPage, Refund } from '../types';
import { CouponsSection } from './coupons-section';
import { OrdersSection } from './orders-section';

interface Props {
  coupons: OpsCouponPage;
  merchants: OpsMerchant[];
  orders: OpsOrderPage;
  refunds: { refunds: Refund[] };
}

/** Shows sales, refunds, dead letters and orders. */
export function SalesBoard({ coupons, merchants, orders, refunds }: Props) {
  return (
    <>
      <CouponsSection first={coupons} merchants={merchants} />
      <RefundsSection first={refunds} />
      <DeadLettersSection />
      <OrdersSection first={orders} />
    </>
  );
}

/** Lists refunds due: the provider sends them, or else an operator by hand. */
function RefundsSection({ first }: { first: { refunds: Refund[] } }) {
  const t = useTranslations('opsSales.refunds');
  const language = useLocale();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.ops.refunds.queryOptions(), initialData: first });
  const columns = useMemo(
    (): Column<Refund>[] => [
      { id: 'payment', header: t('payment'), cell: ({ paymentId }) => <Identifier id={paymentId} /> },
      {
        id: 'amount',
        header: t('amount'),
        kind: 'number',
        sortBy: ({ amountCents }) => amountCents,
        cell: ({ amountCents }) => formatMoney(amountCents, language),
      },
      {
        id: 'since',
        header: t('since'),
        sortBy: ({ since }) => since,
        cell: ({ since }) => <ClockTime at={since} />,
      },
      { id: 'order', header: t('order'), cell: ({ orderId }) => <Identifier id={orderId} /> },
      { id: 'shopper', header: t('shopper'), cell: ({ userId }) => <Identifier id={userId} /> },
      {
        id: 'sent',
        header: t('sent'),
        cell: (refund) =>
          refund.byHand ? <MarkRefundSent refund={refund} /> : t('requested', { attempts: refund.attempts }),
      },
    ],
    [t, language],
  );
  return (
    <Section title={t('title')} lead={t('lead')}>
      <DataTable
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

/** Lists the dead letters. They are in Redis, so this section can fail alone. */
function DeadLettersSection() {
  const t = useTranslations('opsSales.deadLetters');
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.ops.deadLetters.queryOptions());
  const columns = useMemo(
    (): Column<DeadLetter>[] => [
      { id: 'entry', header: t('entry'), cell: ({ entryId }) => <code>{entryId}</code> },
      {
        id: 'at',
        header: t('at'),
        sortBy: ({ deadAt }) => deadAt,
        cell: ({ deadAt }) => <ClockTime at={deadAt} />,
      },
      { id: 'why', header: t('why'), sortBy: ({ why }) => why, cell: ({ why }) => why },
      { id: 'coupon', header: t('coupon'), cell: ({ couponId }) => <Identifier id={couponId} /> },
      { id: 'order', header: t('order'), cell: ({ orderId }) => orderId && <Identifier id={orderId} /> },
    ],
    [t],
  );
  return (
    <Section title={t('title')} lead={t('lead')}>
      {error ? (
        <ProblemNote problem={problemOf(error)} here="/ops/sales" />
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={data?.deadLetters}
          rowId={({ couponId, id }) => `${couponId}:${id}`}
          empty={t('empty')}
          expectedRows={1}
        />
      )}
    </Section>
  );
}
