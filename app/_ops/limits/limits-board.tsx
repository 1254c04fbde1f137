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
import { isOverridden, LevelLabel, LevelLease, LevelMode, sortLevels, sortSharedFirst } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import { CsvButton, secondsFileColumn } from '../tables/csv-button';
import type { AuditPage, Level, Policy } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import { AuditLog } from './audit-log';
import { ChangeLimitButton } from './limit-dialog-provider';
import { useFormatLimit } from './limit-values';
import styles from './limits.module.css';

interface Row extends Level {
  policy: string;
  /** The row before it is of the same policy. */
  isJoined: boolean;
}

/** Shows the heading of the page, the limits and the audit log. */
export function LimitsBoard({ listed, audit }: { listed: { policies: Policy[] }; audit: AuditPage }) {
  return (
    <div className={styles.board}>
      <LimitsTable listed={listed} />
      <AuditLog first={audit} />
    </div>
  );
}

/** Lists every level with its limit, by policy, below the heading of the page. */
function LimitsTable({ listed }: { listed: { policies: Policy[] } }) {
  const t = useTranslations('opsLimitsBoard');
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
        sortLevels(levels).map((level, index): Row => ({ ...level, policy, isJoined: index > 0 })),
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
            <CsvButton fileName="floodgate-limits" label={t('levels')} columns={columns} rows={rows} />
          </div>
        }
      />
      <DataTable
        label={t('levels')}
        columns={columns}
        rows={rows}
        rowId={levelKey}
        empty={t('noLevels')}
        isJoined={(row) => row.isJoined}
      />
    </>
  );
}

function useColumns(): Column<Row>[] {
  const t = useTranslations('opsLimitsBoard');
  const tOutage = useTranslations('ops.outage');
  const isOutage = useIsOutage();
  const formatRate = useFormatLimit();
  return useMemo(() => {
    return [
      {
        id: 'level',
        width: 'min(42cqi, 26rem)',
        header: t('column.level'),
        csv: [
          { header: t('column.policy'), read: ({ policy }) => policy },
          { header: t('column.level'), read: ({ level }) => level },
        ],
        cell: ({ policy, level, isJoined }) => <LevelLabel {...{ policy, level, isJoined }} />,
      },
      {
        id: 'current',
        header: t('column.current'),
        csv: [
          { header: t('column.current'), read: ({ effective }) => effective.limit },
          secondsFileColumn(
            t('column.window'),
            windowOf(({ effective }) => effective),
          ),
          { header: t('column.declared'), read: ({ declared }) => declared.limit },
          secondsFileColumn(
            t('column.declaredWindow'),
            windowOf(({ declared }) => declared),
          ),
        ],
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
        csv: [{ header: t('column.mode'), read: ({ mode }) => mode }],
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
        cell: (row) => <ChangeLimitButton policy={row.policy} level={row.level} known={row} />,
      },
    ];
  }, [t, tOutage, isOutage, formatRate]);
}

/** Returns a reader of the window of a limit. Calls in flight have none. */
function windowOf(read: (row: Row) => Row['effective']): (row: Row) => number | undefined {
  return (row) => (row.algorithm === 'in-flight' ? undefined : read(row).windowMs);
}
