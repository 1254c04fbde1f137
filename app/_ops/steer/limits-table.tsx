import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Badge } from '../../_components/ui/badge';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Notice } from '../../_components/ui/notice';
import { Spoken } from '../../_components/ui/spoken';
import { useDurations } from '../../_i18n/use-durations';
import { levelName } from '../../_live/live-snapshot';
import { useTRPC } from '../../_trpc/client';
import { ClearWindow } from '../clear-window';
import { useOpsFeed } from '../live/ops-feed-provider';
import { ModeBadge } from '../mode-badge';
import { OpenerButton } from '../opener-button';
import { PolicyLevel } from '../policy-level';
import { sharedFirst } from '../shared-first';
import type { Level, Policy } from '../types';
import { useLevelWords } from '../use-level-words';
import { useRefetchOn } from '../use-refetch-on';
import styles from './limits-table.module.css';
import { TuneForm } from './tune-form';
import { useTuning } from './use-tuning';

type Row = Level & { policy: string };

/** Every level with its numbers, and a form for other ones below the row that is being changed. */
export function LimitsTable({ listed }: { listed: { policies: Policy[] } }) {
  const t = useTranslations('opsSteer');
  const { length } = useDurations();
  const levelWords = useLevelWords();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.limit.list.queryOptions(), initialData: listed });
  const [openName, setOpenName] = useState<string>();
  const [tuned, setTuned] = useState<{ name: string; words: string }>();

  // Whoever tunes a limit, on whichever node: the feed has the new numbers within a second.
  useRefetchOn({
    signal: useOpsFeed(({ event }) =>
      event?.windows.map(({ limit, windowMs, mode }) => `${limit}/${windowMs}/${mode}`).join(),
    ),
    queries: [trpc.limit.list.queryFilter(), trpc.ops.audit.pathFilter()],
  });

  const rows = useMemo(
    () =>
      sharedFirst(data.policies).flatMap(({ policy, levels }) =>
        levels.map((level): Row => ({ ...level, policy })),
      ),
    [data],
  );
  const numbers = ({ limit, windowMs }: Level['declared']) =>
    t('numbers', { limit, window: length(windowMs) });
  const wordsOf = ({ policy, level }: Row, { effective, mode }: Level) =>
    t('done', {
      policy,
      level: levelWords(level),
      numbers: numbers(effective),
      mode: t(mode === 'shadow' || mode === 'off' ? `modes.${mode}` : 'modes.enforce'),
    });
  const columns: Column<Row>[] = [
    {
      id: 'level',
      header: t('column.level'),
      sortBy: levelName,
      cell: ({ policy, level }) => <PolicyLevel policy={policy} level={level} />,
    },
    {
      id: 'inForce',
      header: t('column.inForce'),
      kind: 'number',
      sortBy: ({ effective: { limit, windowMs } }) => limit / windowMs,
      cell: ({ effective, declared }) => (
        <span className={styles.inForce}>
          {isSame(effective, declared) || <Badge tone="water">{t('tuned')}</Badge>}
          {numbers(effective)}
        </span>
      ),
    },
    {
      id: 'declared',
      header: t('column.declared'),
      kind: 'number',
      sortBy: ({ declared: { limit, windowMs } }) => limit / windowMs,
      cell: ({ declared }) => numbers(declared),
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
          isOpen={openName === levelName(row)}
          label={t('changeLabel', { policy: row.policy, level: levelWords(row.level) })}
          onToggle={() => setOpenName(openName === levelName(row) ? undefined : levelName(row))}
        >
          {t('change')}
        </OpenerButton>
      ),
    },
  ];

  return (
    <>
      <Spoken text={tuned?.words ?? ''} everyMs={0} atOnce={false} />
      <DataTable
        label={t('levels')}
        columns={columns}
        rows={rows}
        rowId={levelName}
        empty={t('noLevels')}
        detail={(row) => {
          const name = levelName(row);
          if (openName !== name) return tuned?.name === name && <Notice tone="good">{tuned.words}</Notice>;
          return (
            <OpenForm
              row={row}
              onClose={() => setOpenName(undefined)}
              onTuned={(level) => {
                setOpenName(undefined);
                setTuned({ name, words: wordsOf(row, level) });
              }}
            />
          );
        }}
      />
    </>
  );
}

interface OpenFormProps {
  row: Row;
  onClose(): void;
  onTuned(level: Level): void;
}

function OpenForm({ row, onClose, onTuned }: OpenFormProps) {
  const tuning = useTuning({ policy: row.policy, level: row.level }, onTuned);
  return (
    <div className={styles.forms}>
      <TuneForm policy={row.policy} level={row} tuning={tuning} onCancel={onClose} />
      {row.level === 'global' && <ClearWindow policy={row.policy} level={row.level} here="/ops/steer" />}
    </div>
  );
}

function isSame(one: Level['declared'], other: Level['declared']): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs;
}
