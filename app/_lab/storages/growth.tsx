import { TrendingUp } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Choice } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel, Section } from '../../_components/ui/page-parts';
import { roundToTenth } from '../../_i18n/numbers';
import { useTRPCClient } from '../../_trpc/client';
import { Terms } from '../details';
import { Result, StartButton, useExperiment } from '../experiment';
import styles from '../lab.module.css';
import { numberColumn, useLabNumbers } from '../numbers';
import type { GrowingLog, GrowthMetric, StorageGrowth } from '../types';

const metrics = ['micros', 'bytesRead', 'bytes'] as const satisfies readonly GrowthMetric[];

const explained = ['curve', 'factor'] as const;

/** Measures how memory, reads and time of a decision grow with the log. */
export function Growth() {
  const t = useTranslations('labStorage.growth');
  const client = useTRPCClient();
  const [metric, setMetric] = useState<GrowthMetric>('micros');
  const experiment = useExperiment(null, (_, signal) =>
    client.lab.storageGrowth.mutate(undefined, { signal }),
  );
  const { data } = experiment;
  const columns = useGrowthColumns(metric, data);

  return (
    <Section title={t('title')} lead={t('lead')}>
      <Panel>
        <StartButton
          experiment={experiment}
          icon={TrendingUp}
          label={t('start')}
          idle={data ? t('done') : t('idle')}
        />
        {data && (
          <>
            <Choice<GrowthMetric>
              legend={t('metric')}
              name="metric"
              value={metric}
              options={metrics.map((value) => ({ value, label: t(`metrics.${value}`) }))}
              onChange={setMetric}
            />
            <Result isEarlier={experiment.isEarlier}>
              <DataTable
                label={t('label')}
                columns={columns}
                rows={data.storages}
                rowId={({ storage }) => storage}
                empty="–"
                manyColumns
              />
            </Result>
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
    const max = Math.max(...(growth?.storages.flatMap(costsOf) ?? []));
    const format = (value: number) => (metric === 'micros' ? t('micros', { count: value }) : bytes(value));
    return [
      { id: 'storage', header: t('storage'), cell: ({ storage }) => names(storage) },
      { id: 'curve', header: t('curve'), cell: (log) => <GrowthCurve values={costsOf(log)} max={max} /> },
      ...(growth?.sizes ?? []).map((size, index) =>
        numberColumn<GrowingLog>(
          String(size),
          t('hits', { count: size }),
          (log) => costsOf(log)[index] ?? 0,
          format,
        ),
      ),
      numberColumn<GrowingLog>(
        'factor',
        t('factor'),
        (log) => (costsOf(log).at(-1) ?? 0) / Math.max(1, costsOf(log)[0] ?? 1),
        (factor) => t('times', { count: roundToTenth(factor) }),
      ),
    ];
  }, [t, names, bytes, metric, growth]);
}

const WIDTH = 96;
const HEIGHT = 28;
const INSET = 3;

interface CurveProps {
  /** One value for each size of the log, ascending by size. */
  values: readonly number[];
  /** The top of the scale that all curves share. */
  max: number;
}

/** A small curve on a logarithmic scale from 1 to `max`. The cells next to it have its numbers. */
function GrowthCurve({ values, max }: CurveProps) {
  const points = values.map((value, index) => ({
    x: INSET + (index * (WIDTH - 2 * INSET)) / Math.max(1, values.length - 1),
    y: HEIGHT - INSET - (HEIGHT - 2 * INSET) * (Math.log(Math.max(1, value)) / Math.log(Math.max(2, max))),
  }));
  return (
    <svg className={styles.curve} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className={styles.curveBase} d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      <polyline className={styles.curveLine} points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(({ x, y }) => (
        <circle key={x} className={styles.curvePoint} cx={x} cy={y} r={2} />
      ))}
    </svg>
  );
}
