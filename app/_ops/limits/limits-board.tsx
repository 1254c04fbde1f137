'use client';

import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Announcer } from '../../_components/ui/announcer';
import { Badge } from '../../_components/ui/badge';
import { classNames } from '../../_components/ui/class-names';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { useDurations } from '../../_i18n/use-durations';
import { levelKey } from '../../_live/live-snapshot';
import { useTRPC } from '../../_trpc/client';
import { useQuery } from '../../_trpc/query';
import { ClearWindow } from '../clear-window';
import { ModeBadge, PolicyLevel, sortSharedFirst, useLevelName } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import { OpenerButton } from '../opener-button';
import type { AuditPage, Level, Policy } from '../types';
import { useRefetchOnChange } from '../use-refetch-on-change';
import { AuditLog } from './audit-log';
import { LimitForm } from './limit-form';
import styles from './limits-board.module.css';

type Row = Level & { policy: string };

/** Shows the limits with their forms, and the audit log. */
export function LimitsBoard({ listed, audit }: { listed: { policies: Policy[] }; audit: AuditPage }) {
  return (
    <div className={classNames(layout.stack3, styles.board)}>
      <LimitsTable listed={listed} />
      <AuditLog first={audit} />
    </div>
  );
}

/** Lists every level with its limit, and opens a form below a row. */
function LimitsTable({ listed }: { listed: { policies: Policy[] } }) {
  const t = useTranslations('opsLimits');
  const levelName = useLevelName();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.limit.list.queryOptions(), initialData: listed });
  const [openName, setOpenName] = useState<string>();
  const [updated, setUpdated] = useState<{ name: string; words: string }>();

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
  const formatRate = useFormatRate();
  const wordsOf = ({ policy, level }: Row, { effective, mode }: Level) =>
    t('done', {
      policy,
      level: levelName(level),
      rate: formatRate(effective),
      mode: t(mode === 'shadow' || mode === 'off' ? `modes.${mode}` : 'modes.enforce'),
    });

  return (
    <>
      <Announcer text={updated?.words ?? ''} minIntervalMs={0} urgentKey={false} />
      <DataTable
        label={t('levels')}
        columns={useColumns({ openName, onToggle: setOpenName })}
        rows={rows}
        rowId={levelKey}
        empty={t('noLevels')}
        detail={(row) => {
          const name = levelKey(row);
          if (openName !== name)
            return updated?.name === name && <Notice tone="good">{updated.words}</Notice>;
          return (
            <div className={layout.stack3}>
              <LimitForm
                policy={row.policy}
                level={row}
                onCancel={() => setOpenName(undefined)}
                onUpdated={(level) => {
                  setOpenName(undefined);
                  setUpdated({ name, words: wordsOf(row, level) });
                }}
              />
              {row.level === 'global' && (
                <ClearWindow policy={row.policy} level={row.level} here="/ops/steer" />
              )}
            </div>
          );
        }}
      />
    </>
  );
}

/** Returns the columns. `openName` is the key of the row whose form is open. */
function useColumns({
  openName,
  onToggle,
}: {
  openName: string | undefined;
  onToggle: (name: string | undefined) => void;
}): Column<Row>[] {
  const t = useTranslations('opsLimits');
  const levelName = useLevelName();
  const formatRate = useFormatRate();
  return [
    {
      id: 'level',
      header: t('column.level'),
      sortBy: levelKey,
      cell: ({ policy, level }) => <PolicyLevel policy={policy} level={level} />,
    },
    {
      id: 'current',
      header: t('column.current'),
      kind: 'number',
      sortBy: ({ effective: { limit, windowMs } }) => limit / windowMs,
      cell: ({ effective, declared }) => (
        <span className={classNames(layout.inline2, styles.current)}>
          {isSameLimit(effective, declared) || <Badge tone="accent">{t('changed')}</Badge>}
          {formatRate(effective)}
        </span>
      ),
    },
    {
      id: 'declared',
      header: t('column.declared'),
      kind: 'number',
      sortBy: ({ declared: { limit, windowMs } }) => limit / windowMs,
      cell: ({ declared }) => formatRate(declared),
    },
    {
      id: 'mode',
      header: t('column.mode'),
      sortBy: ({ mode }) => mode,
      cell: ({ mode }) => <ModeBadge mode={mode} />,
    },
    {
      id: 'change',
      header: t('column.change'),
      cell: (row) => (
        <OpenerButton
          isOpen={openName === levelKey(row)}
          label={t('changeLabel', { policy: row.policy, level: levelName(row.level) })}
          onToggle={() => onToggle(openName === levelKey(row) ? undefined : levelKey(row))}
        >
          {t('change')}
        </OpenerButton>
      ),
    },
  ];
}

/** Returns a formatter of limits: `3 per 10 s`. */
function useFormatRate(): (rate: Level['declared']) => string {
  const t = useTranslations('opsLimits');
  const { length } = useDurations();
  return ({ limit, windowMs }) => t('rate', { limit, window: length(windowMs) });
}

function isSameLimit(one: Level['declared'], other: Level['declared']): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}
