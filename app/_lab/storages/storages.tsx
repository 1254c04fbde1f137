import { Database } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Choice } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { Panel } from '../../_components/ui/page-parts';
import { Badge } from '../../_components/ui/status';
import { roundToTenth } from '../../_i18n/numbers';
import { useTRPCClient } from '../../_trpc/client';
import { Terms } from '../details';
import { Result, StartButton, useExperiment } from '../experiment';
import { KeyList } from '../key-list';
import styles from '../lab.module.css';
import { numberColumn, useLabNumbers } from '../numbers';
import type { StorageCost } from '../types';
import { Growth } from './growth';

const windowMs = 60_000;
const sizes = [10, 100, 1_000, 5_000] as const;
const explained = ['bytes', 'perHit', 'read', 'window'] as const;
const noCosts: readonly StorageCost[] = [];

/** Compares the memory and the read cost of one log in each Redis type. */
export default function Storages() {
  const t = useTranslations('labStorage');
  const { count } = useLabNumbers();
  const client = useTRPCClient();
  const [hits, setHits] = useState<number>(100);
  const experiment = useExperiment(hits, (hits, signal) =>
    client.lab.storages.mutate({ hits, windowMs }, { signal }),
  );
  const costs = experiment.data?.storages ?? noCosts;
  const columns = useStorageColumns(costs);

  return (
    <div className={layout.stack5}>
      <Panel>
        <Choice<number>
          legend={t('hits')}
          name="hits"
          value={hits}
          options={sizes.map((size) => ({ value: size, label: count(size) }))}
          onChange={setHits}
        />
        <StartButton
          experiment={experiment}
          variant="primary"
          icon={Database}
          label={t('start')}
          idle={t('idle', { hits })}
        />
        <Result isEarlier={experiment.isEarlier}>
          <DataTable
            label={t('label')}
            columns={columns}
            rows={costs}
            rowId={({ storage }) => storage}
            empty={t('empty')}
            manyColumns
          />
          {costs.length > 0 && (
            <>
              <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
              <p className={layout.hint}>{t('set')}</p>
              <KeyList
                groups={costs.map(({ storage, key }) => ({ name: t(`names.${storage}`), keys: [key] }))}
              />
            </>
          )}
        </Result>
      </Panel>
      <Growth />
    </div>
  );
}

function useStorageColumns(costs: readonly StorageCost[]): Column<StorageCost>[] {
  const t = useTranslations('labStorage');
  const { bytes } = useLabNumbers();
  return useMemo(() => {
    const maxBytes = Math.max(1, ...costs.map((cost) => cost.bytes));
    return [
      { id: 'storage', header: t('storage'), cell: ({ storage }) => t(`names.${storage}`) },
      {
        id: 'bytes',
        header: t('bytes'),
        kind: 'number',
        sortBy: (cost) => cost.bytes,
        cell: (cost) => (
          <div className={classNames(layout.stack1, styles.bytes)}>
            {bytes(cost.bytes)}
            <LimitBar value={cost.bytes} limit={maxBytes} max={maxBytes} />
          </div>
        ),
      },
      numberColumn(
        'perHit',
        t('perHit'),
        (cost) => cost.bytesPerHit,
        (count) => t('bytesPerHit', { count: roundToTenth(count) }),
      ),
      numberColumn('read', t('read'), (cost) => cost.bytesRead, bytes),
      {
        id: 'window',
        header: t('window'),
        sortBy: ({ canQueryWindow }) => Number(canQueryWindow),
        cell: ({ canQueryWindow }) => (
          <Badge tone={canQueryWindow ? 'good' : 'neutral'}>{t(canQueryWindow ? 'yes' : 'no')}</Badge>
        ),
      },
      {
        id: 'commands',
        header: t('commands'),
        cell: ({ commands }) => <code className={layout.commands}>{commands.join('\n')}</code>,
      },
    ];
  }, [t, bytes, costs]);
}
