import { Timer } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { usePeriod } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { Terms } from '../details';
import { StartButton, useExperiment } from '../experiment';
import { numberColumn, useLabNumbers } from '../numbers';
import type { LeaseRun } from '../types';
import { type ChosenBy, MistakeFrame } from './mistake-frame';

const explained = ['admitted', 'worst', 'commands'] as const;
const noRuns: readonly LeaseRun[] = [];

/** Compares the same calls on leased levels and on levels that decide each call in Redis. */
export function LeasesCard({ chosenBy }: { chosenBy: ChosenBy }) {
  const t = useTranslations('labMistakes.leases');
  const { count } = useLabNumbers();
  const period = usePeriod();
  const client = useTRPCClient();
  const experiment = useExperiment(null, (_, signal) => client.lab.leases.mutate(undefined, { signal }));
  const { data } = experiment;
  const columns = useMemo<Column<LeaseRun>[]>(() => {
    return [
      {
        id: 'level',
        header: t('level'),
        cell: ({ limit, windowMs, isLeased }) =>
          t(isLeased ? 'leased' : 'single', { limit, window: period(windowMs) }),
      },
      numberColumn('admitted', t('admitted'), ({ admitted }) => admitted, count),
      numberColumn('worst', t('worst'), ({ worstWindow }) => worstWindow, count),
      numberColumn('commands', t('commands'), ({ commandsPer1000 }) => commandsPer1000, count),
    ];
  }, [t, count, period]);

  return (
    <MistakeFrame
      title={t('title')}
      isEarlier={experiment.isEarlier}
      chosenBy={chosenBy}
      why={t('why')}
      start={
        <StartButton
          experiment={experiment}
          icon={Timer}
          label={t('start')}
          idle={data ? t('done', { nodes: data.nodes, ms: data.forMs }) : t('idle')}
        />
      }
    >
      <DataTable
        label={t('label')}
        columns={columns}
        rows={data?.runs ?? noRuns}
        rowId={({ limit, isLeased }) => `${limit} ${isLeased}`}
        empty={t('empty')}
      />
      <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
    </MistakeFrame>
  );
}
