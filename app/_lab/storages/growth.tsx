import { TrendingUp } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Choice } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel, Section } from '../../_components/ui/page-parts';
import { roundToTenth } from '../../_i18n/numbers';
import { useTRPCClient } from '../../_trpc/client';
import { EarlierResult } from '../earlier-result';
import { CallStatus, useLimitedCall } from '../limited-call';
import { Terms } from '../terms';
import type { GrowingLog, GrowthMetric, StorageGrowth } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { GrowthCurve } from './growth-curve';

const metrics = ['micros', 'bytesRead', 'bytes'] as const satisfies readonly GrowthMetric[];

const explained = ['curve', 'factor'] as const;

/** Measures how memory, reads and time of a decision grow with the log. */
export function Growth() {
  const t = useTranslations('labStorage.growth');
  const client = useTRPCClient();
  const [metric, setMetric] = useState<GrowthMetric>('micros');
  const call = useLimitedCall((_: null, signal) => client.lab.storageGrowth.mutate(undefined, { signal }));
  const isEarlier = call.data !== undefined && call.wasCancelled;
  const columns = useGrowthColumns(metric, call.data);

  return (
    <Section title={t('title')} lead={t('lead')}>
      <Panel>
        <CallStatus
          call={call}
          icon={TrendingUp}
          label={t('start')}
          onStart={() => call.start(null)}
          isEarlier={isEarlier}
          idle={call.data ? t('done') : t('idle')}
        />
        {call.data && (
          <>
            <Choice<GrowthMetric>
              legend={t('metric')}
              name="metric"
              value={metric}
              options={metrics.map((value) => ({ value, label: t(`metrics.${value}`) }))}
              onChange={setMetric}
            />
            <EarlierResult isEarlier={isEarlier}>
              <DataTable
                label={t('label')}
                columns={columns}
                rows={call.data.storages}
                rowId={({ storage }) => storage}
                empty="–"
                manyColumns
              />
            </EarlierResult>
            <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
            {metric === 'micros' && <p className={layout.hint}>{t('median')}</p>}
            <p className={layout.hint}>{t('note')}</p>
          </>
        )}
      </Panel>
    </Section>
  );
}

/** Columns: the form, its curve, its cost for each size, and the ratio of the last and the first cost. */
function useGrowthColumns(metric: GrowthMetric, growth: StorageGrowth | undefined): Column<GrowingLog>[] {
  const t = useTranslations('labStorage.growth');
  const names = useTranslations('labStorage.names');
  const { bytes } = useLabNumbers();
  return useMemo(() => {
    const costsOf = ({ costs }: GrowingLog) => costs.map((cost) => cost[metric]);
    const max = Math.max(1, ...(growth?.storages.flatMap(costsOf) ?? []));
    const format = (value: number) => (metric === 'micros' ? t('micros', { count: value }) : bytes(value));
    const factorOf = (log: GrowingLog) => {
      const costs = costsOf(log);
      return (costs.at(-1) ?? 0) / Math.max(1, costs[0] ?? 1);
    };
    return [
      { id: 'storage', header: t('storage'), cell: ({ storage }) => names(storage) },
      {
        id: 'curve',
        header: t('curve'),
        cell: (log) => <GrowthCurve values={costsOf(log)} max={max} />,
      },
      ...(growth?.sizes ?? []).map(
        (size, index): Column<GrowingLog> => ({
          id: String(size),
          header: t('hits', { count: size }),
          kind: 'number',
          sortBy: (log) => costsOf(log)[index],
          cell: (log) => format(costsOf(log)[index] ?? 0),
        }),
      ),
      {
        id: 'factor',
        header: t('factor'),
        kind: 'number',
        sortBy: factorOf,
        cell: (log) => t('times', { count: roundToTenth(factorOf(log)) }),
      },
    ];
  }, [t, names, bytes, metric, growth]);
}
