import { useQuery } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Section } from '../../_components/ui/section';
import { formatMoney } from '../../_i18n/money';
import { useTRPC } from '../../_trpc/client';
import { ClockTime } from '../clock-time';
import { Identifier } from '../identifier';
import type { Refund } from '../types';
import { MarkRefundSent } from './mark-refund-sent';

/** Lists refunds due: the provider sends them, or else an operator by hand. */
export function RefundsSection({ first }: { first: { refunds: Refund[] } }) {
  const t = useTranslations('opsSales.refunds');
  const language = useLocale() === 'zh' ? 'zh' : 'en';
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
          refund.byHand ? <MarkRefundSent refund={refund} /> : t('asked', { attempts: refund.attempts }),
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
