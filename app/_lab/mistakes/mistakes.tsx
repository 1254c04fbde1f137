'use client';

import { Flag, Timer } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { Badge } from '../../_components/ui/badge';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { useTRPCClient } from '../../_trpc/client';
import { KeyList } from '../key-list';
import { CallStatus, useLimitedCall } from '../limited-call';
import type { DecisionVariant, Race, RaceInput } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { MistakeCard } from './mistake-card';
import { MistakeFrame, Side, useFigures } from './mistake-frame';
import styles from './mistakes.module.css';

/** Common mistakes in rate limiters. */
export default function Mistakes() {
  return (
    <div className={layout.stack3}>
      <RaceCard variant="four-commands" />
      <RaceCard variant="timestamp-member" />
      <MistakeCard name="double-burst" />
      <MistakeCard name="node-clock" />
      <MistakeCard name="self-extending-block" />
      <MistakeCard name="cross-slot" />
      <RoundTripsCard />
    </div>
  );
}

const raceLoad = { limit: 10, windowMs: 10_000, concurrency: 200 } as const;

/** Concurrent calls to a version with a race condition and to the product. */
function RaceCard({ variant }: { variant: Exclude<RaceInput['variant'], 'product'> }) {
  const t = useTranslations('lab');
  const { createWindowFigure } = useFigures();
  const client = useTRPCClient();
  const call = useLimitedCall(async (_: null, signal) => {
    const naive = await client.lab.race.mutate({ ...raceLoad, variant }, { signal });
    const product = await client.lab.race.mutate({ ...raceLoad, variant: 'product' }, { signal });
    return { naive, product };
  });
  const { naive, product } = call.data ?? {};
  const side = (race: Race | undefined, title: string) => (
    <Side
      title={title}
      figure={race && createWindowFigure(race.admitted, { limit: raceLoad.limit, max: naive?.admitted ?? 0 })}
      facts={[
        { name: t('side.refused'), value: race ? t('side.calls', { count: race.refused }) : '–' },
        { name: t('side.logged'), value: race ? t('side.hits', { count: race.logged }) : '–' },
        { name: t('side.roundTrips'), value: race?.roundTrips ?? '–' },
      ]}
    />
  );

  return (
    <MistakeFrame
      title={t(`mistake.${variant}.title`)}
      naive={t(`mistake.${variant}.naive`)}
      why={t(`mistake.${variant}.why`)}
      start={
        <CallStatus
          call={call}
          label={
            <>
              <Flag size={18} aria-hidden="true" />
              {t('mistake.race')}
            </>
          }
          onStart={() => call.start(null)}
          idle={t('mistake.raceLoad', raceLoad)}
        />
      }
      sides={
        <>
          {side(naive, t(`mistake.${variant}.naive`))}
          {side(product, t('mistake.product'))}
        </>
      }
    >
      {naive && product && (
        <KeyList
          groups={[
            { name: t('mistake.keysOf.naive'), keys: naive.keys },
            { name: t('mistake.keysOf.product'), keys: product.keys },
          ]}
        />
      )}
    </MistakeFrame>
  );
}

const noVariants: readonly DecisionVariant[] = [];

/** Compares the round trips and the duration of a decision by commands, with a lock, and by one script. */
function RoundTripsCard() {
  const t = useTranslations('lab.roundTrips');
  const { count } = useLabNumbers();
  const client = useTRPCClient();
  const call = useLimitedCall((_: null, signal) => client.lab.roundTrips.mutate(undefined, { signal }));
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
        cell: ({ commands }) => <code className={styles.commands}>{commands.join('\n')}</code>,
      },
    ],
    [t, count],
  );

  return (
    <MistakeFrame
      title={t('title')}
      why={t('why')}
      start={
        <CallStatus
          call={call}
          label={
            <>
              <Timer size={18} aria-hidden="true" />
              {t('start')}
            </>
          }
          onStart={() => call.start(null)}
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
    </MistakeFrame>
  );
}
