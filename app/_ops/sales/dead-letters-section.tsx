import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Section } from '../../_components/ui/section';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClockTime } from '../clock-time';
import { Identifier } from '../identifier';
import type { DeadLetter } from '../types';

/** Lists the dead letters. They are in Redis, so this section can fail alone. */
export function DeadLettersSection() {
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
