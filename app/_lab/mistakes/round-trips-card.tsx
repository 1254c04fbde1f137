import { Timer } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { useTRPCClient } from '../../_trpc/client';
import { Terms } from '../details';
import { StartButton, useExperiment } from '../experiment';
import { numberColumn, useLabNumbers } from '../numbers';
import type { DecisionVariant } from '../types';
import { type ChosenBy, MistakeFrame } from './mistake-frame';

const explained = ['trips', 'median', 'p99', 'exact'] as const;
const noVariants: readonly DecisionVariant[] = [];

/** Compares the round trips and the duration of a decision by commands, with a lock, and by one script. */
export function RoundTripsCard({ chosenBy }: { chosenBy: ChosenBy }) {
  const t = useTranslations('labMistakes.roundTrips');
  const { count } = useLabNumbers();
  const client = useTRPCClient();
  const experiment = useExperiment(null, (_, signal) => client.lab.roundTrips.mutate(undefined, { signal }));
  const { data } = experiment;
  const columns = useMemo<Column<DecisionVariant>[]>(() => {
    const micros = (value: number) => t('micros', { count: Math.round(value) });
    return [
      { id: 'variant', header: t('variant'), cell: ({ variant }) => t(`variants.${variant}`) },
      numberColumn('trips', t('trips'), ({ roundTrips }) => roundTrips, count),
      numberColumn('median', t('median'), ({ medianMicros }) => medianMicros, micros),
      numberColumn('p99', t('p99'), ({ p99Micros }) => p99Micros, micros),
      {
        id: 'exact',
        header: t('exact'),
        sortBy: ({ exact }) => Number(exact),
        cell: ({ exact }) => <Badge tone={exact ? 'good' : 'fail'}>{t(exact ? 'isExact' : 'races')}</Badge>,
      },
      {
        id: 'commands',
        header: t('commands'),
        cell: ({ commands }) => <code className={layout.commands}>{commands.join('\n')}</code>,
      },
    ];
  }, [t, count]);

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
          idle={data ? t('done', { count: data.decisions }) : t('idle')}
        />
      }
    >
      <DataTable
        label={t('label')}
        columns={columns}
        rows={data?.variants ?? noVariants}
        rowId={({ variant }) => variant}
        empty={t('empty')}
      />
      <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
    </MistakeFrame>
  );
}
