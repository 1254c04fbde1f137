'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { PageHead } from '../../_components/ui/page-parts';
import { levelKey } from '../../_live/level-key';
import { useTRPC } from '../../_trpc/client';
import { useIsOutage } from '../health';
import { isOverridden, LevelLabel, LevelLease, LevelMode, sortSharedFirst } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import { CsvButton } from '../tables/csv-button';
import type { AuditPage, Level, Policy } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import { AuditLog } from './audit-log';
import { ChangeLimitButton } from './limit-dialog-provider';
import { useFormatLimit } from './limit-values';
import styles from './limits.module.css';

type Row = Level & { policy: string };

/** Shows the heading of the page, the limits and the audit log. */
export function LimitsBoard({ listed, audit }: { listed: { policies: Policy[] }; audit: AuditPage }) {
  return (
    <div className={styles.board}>
      <LimitsTable listed={listed} />
      <AuditLog first={audit} />
    </div>
  );
}

/** Lists every level with its limit, below the heading of the page. */
function LimitsTable({ listed }: { listed: { policies: Policy[] } }) {
  const t = useTranslations('opsLimits');
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.limit.list.queryOptions(), initialData: listed });
  // Another operator or node may change a limit; the feed has it within a second.
  useRefetchOnChange({
    signal: useOpsFeed(({ event }) =>
      event?.windows.map(({ limit, windowMs, mode }) => `${limit}/${windowMs}/${mode}`).join(),
    ),
    queries: [trpc.limit.list.queryFilter(), trpc.ops.audit.pathFilter()],
  });

  const rows = useMemo(
    () =>
      sortSharedFirst(data.policies).flatMap(({ policy, levels }) =>
        levels.map((level): Row => ({ ...level, policy })),
      ),
    [data],
  );

  const columns = useColumns();
  const isOutage = useIsOutage();
  return (
    <>
      <PageHead
        title={t('title')}
        lead={t(isOutage ? 'leadOutage' : 'lead')}
        action={
          <div>
            <CsvButton
              fileName="floodgate-limits"
              label={t('levels')}
              columns={useFileColumns(columns)}
              rows={rows}
            />
          </div>
        }
      />
      <DataTable label={t('levels')} columns={columns} rows={rows} rowId={levelKey} empty={t('noLevels')} />
    </>
  );
}

function useColumns(): Column<Row>[] {
  const t = useTranslations('opsLimits');
  const tOutage = useTranslations('ops.outage');
  const isOutage = useIsOutage();
  const formatRate = useFormatLimit();
  return useMemo(() => {
    return [
      {
        id: 'level',
        width: 'min(42cqi, 26rem)',
        header: t('column.level'),
        sortBy: levelKey,
        cell: ({ policy, level }) => <LevelLabel policy={policy} level={level} />,
      },
      {
        id: 'current',
        header: t('column.current'),
        sortBy: ({ effective: { limit, windowMs } }) => limit / windowMs,
        csv: ({ effective, algorithm }) => formatRate(effective, algorithm),
        cell: (row) => (
          <>
            <span className={layout.strong}>{formatRate(row.effective, row.algorithm)}</span>
            {isOverridden(row, undefined) && (
              <div className={layout.soft}>
                {t('declared', { limit: formatRate(row.declared, row.algorithm) })}
              </div>
            )}
            <LevelLease policy={row.policy} level={row} />
          </>
        ),
      },
      {
        id: 'mode',
        width: 'max(7.5rem, 18cqi)',
        header: isOutage ? tOutage('column') : t('column.mode'),
        card: 'end',
        sortBy: ({ mode }) => mode,
        cell: (row) => (
          <span className={styles.boardMode}>
            <LevelMode policy={row.policy} level={row} />
          </span>
        ),
      },
      {
        id: 'change',
        width: '6.75rem',
        header: t('column.actions'),
        card: 'end',
        cell: ({ policy, level }) => <ChangeLimitButton policy={policy} level={level} />,
      },
    ];
  }, [t, tOutage, isOutage, formatRate]);
}

/** Returns the columns of the CSV file, which also has the default of every limit, and its mode without Redis, too. */
function useFileColumns(columns: readonly Column<Row>[]): Column<Row>[] {
  const t = useTranslations('opsLimits');
  const formatRate = useFormatLimit();
  return columns.flatMap((column) => {
    if (column.id === 'mode') return [{ ...column, header: t('column.mode') }];
    if (column.id !== 'current') return [column];
    const text = ({ declared, algorithm }: Row) => formatRate(declared, algorithm);
    return [column, { id: 'declared', header: t('column.declared'), csv: text, cell: text }];
  });
}
