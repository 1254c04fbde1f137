'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Badge } from '../../_components/ui/badge';
import { classNames } from '../../_components/ui/class-names';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { usePeriod } from '../../_i18n/use-period';
import { levelKey } from '../../_live/level-key';
import { useTRPC } from '../../_trpc/client';
import { useQuery } from '../../_trpc/query';
import { LevelLabel, ModeBadge, sortSharedFirst } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import { CsvTable } from '../tables/csv-table';
import type { AuditPage, Level, Policy } from '../types';
import { useRefetchOnChange } from '../use-refetch-on-change';
import { AuditLog } from './audit-log';
import { ChangeLimitButton } from './change-limit-button';
import styles from './limits-board.module.css';

type Row = Level & { policy: string };

/** Shows the limits and the audit log. */
export function LimitsBoard({ listed, audit }: { listed: { policies: Policy[] }; audit: AuditPage }) {
  return (
    <div className={classNames(layout.stack3, styles.board)}>
      <LimitsTable listed={listed} />
      <AuditLog first={audit} />
    </div>
  );
}

/** Lists every level with its limit. */
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

  return (
    <CsvTable
      fileName="floodgate-limits"
      label={t('levels')}
      columns={useColumns()}
      rows={rows}
      rowId={levelKey}
      empty={t('noLevels')}
      dense
    />
  );
}

function useColumns(): Column<Row>[] {
  const t = useTranslations('opsLimits');
  const period = usePeriod();
  return useMemo(() => {
    /** Formats a limit: `3 per 10 s`; of calls in flight `3 at the same time`. */
    const formatRate = ({ limit, windowMs }: Level['declared'], algorithm: Level['algorithm']) =>
      algorithm === 'in-flight' ? t('running', { limit }) : t('rate', { limit, window: period(windowMs) });
    return [
      {
        id: 'level',
        header: t('column.level'),
        sortBy: levelKey,
        cell: ({ policy, level }) => <LevelLabel policy={policy} level={level} />,
      },
      {
        id: 'current',
        header: t('column.current'),
        card: 'start',
        kind: 'number',
        sortBy: ({ effective: { limit, windowMs } }) => limit / windowMs,
        csv: ({ effective, algorithm }) => formatRate(effective, algorithm),
        cell: ({ effective, declared, algorithm }) => (
          <span className={classNames(layout.inline2, styles.current)}>
            {isSameLimit(effective, declared) || <Badge tone="accent">{t('changed')}</Badge>}
            {formatRate(effective, algorithm)}
          </span>
        ),
      },
      {
        id: 'declared',
        header: t('column.declared'),
        card: 'labelledStart',
        kind: 'number',
        sortBy: ({ declared: { limit, windowMs } }) => limit / windowMs,
        csv: ({ declared, algorithm }) => formatRate(declared, algorithm),
        cell: ({ declared, algorithm }) => (
          <span className={layout.soft}>{formatRate(declared, algorithm)}</span>
        ),
      },
      {
        id: 'mode',
        header: t('column.mode'),
        card: 'end',
        sortBy: ({ mode }) => mode,
        cell: ({ mode }) => <ModeBadge mode={mode} />,
      },
      {
        id: 'change',
        header: t('column.change'),
        card: 'end',
        cell: ({ policy, level }) => <ChangeLimitButton policy={policy} level={level} />,
      },
    ];
  }, [t, period]);
}

function isSameLimit(one: Level['declared'], other: Level['declared']): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}
