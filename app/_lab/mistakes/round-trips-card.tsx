import { Timer } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { useTRPCClient } from '../../_trpc/client';
import { CallStatus, useLimitedCall } from '../limited-call';
import { Terms } from '../terms';
import type { DecisionVariant } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { type ChosenBy, MistakeFrame } from './mistake-frame';

const explained = ['trips', 'median', 'p99', 'exact'] as const;
const noVariants: readonly DecisionVariant[] = [];

/** Compares the round trips and the duration of a decision by commands, with a lock, and by one script. */
export function RoundTripsCard({ chosenBy }: { chosenBy: ChosenBy }) {
  const t = useTranslations('labMistakes.roundTrips');
  const { count } = useLabNumbers();
  const client = useTRPCClient();
  const call = useLimitedCall((_: null, signal) => client.lab.roundTrips.mutate(undefined, { signal }));
  const isEarlier = call.data !== undefined && call.wasCancelled;
  const columns = useMemo<Column<DecisionVariant>[]>(
    () => [
      { id: 'variant', header: t('variant'), cell: ({ variant }) => t(`variants.${variant}`) },
      {
        id: 'trips',
        header: t('trips'),
        kind: 'number',
        sortBy: ({ roundTrips }) => roundTrips,
        cell: ({ roundTrips }) => count(roundTrips),
      },
      {
        id: 'median',
        header: t('median'),
        kind: 'number',
        sortBy: ({ medianMicros }) => medianMicros,
        cell: ({ medianMicros }) => t('micros', { count: Math.round(medianMicros) }),
      },
      {
        id: 'p99',
        header: t('p99'),
        kind: 'number',
        sortBy: ({ p99Micros }) => p99Micros,
        cell: ({ p99Micros }) => t('micros', { count: Math.round(p99Micros) }),
      },
      {
        id: 'exact',
        header: t('exact'),
        sortBy: ({ exact }) => Number(exact),
        cell: ({ exact }): ReactNode => (
          <Badge tone={exact ? 'good' : 'fail'}>{t(exact ? 'isExact' : 'races')}</Badge>
        ),
      },
      {
        id: 'commands',
        header: t('commands'),
        cell: ({ commands }) => <code className={layout.commands}>{commands.join('\n')}</code>,
      },
    ],
    [t, count],
  );

  return (
    <MistakeFrame
      title={t('title')}
      isEarlier={isEarlier}
      chosenBy={chosenBy}
      why={t('why')}
      start={
        <CallStatus
          call={call}
          icon={Timer}
          label={t('start')}
          onStart={() => call.start(null)}
          isEarlier={isEarlier}
          idle={call.data ? t('done', { count: call.data.decisions }) : t('idle')}
        />
      }
    >
      <DataTable
        label={t('label')}
        columns={columns}
        rows={call.data?.variants ?? noVariants}
        rowId={({ variant }) => variant}
        empty={t('empty')}
      />
      <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
    </MistakeFrame>
  );
}
