'use client';

import { Database } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { LimitBar } from '../../_components/ui/bars';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Choice } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { Badge } from '../../_components/ui/status';
import { roundToTenth } from '../../_i18n/numbers';
import { useTRPCClient } from '../../_trpc/client';
import { EarlierResult } from '../earlier-result';
import { KeyList } from '../key-list';
import { CallStatus, useLimitedCall } from '../limited-call';
import { Terms } from '../terms';
import type { StorageCost } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { Growth } from './growth';
import styles from './storages.module.css';

const windowMs = 60_000;
const sizes = [10, 100, 1_000, 5_000] as const;
const explained = ['bytes', 'perHit', 'read', 'window'] as const;
const noCosts: readonly StorageCost[] = [];

/** Compares the memory and the read cost of one log in each Redis type. */
export default function Storages() {
  const t = useTranslations('labStorage');
  const { bytes, count } = useLabNumbers();
  const client = useTRPCClient();
  const [hits, setHits] = useState<number>(100);
  const call = useLimitedCall((hits: number, signal) =>
    client.lab.storages.mutate({ hits, windowMs }, { signal }),
  );
  const costs = call.data?.storages;
  const isEarlier = call.data !== undefined && (call.wasCancelled || call.dataInput !== hits);
  const maxBytes = Math.max(...(costs ?? noCosts).map((cost) => cost.bytes), 1);
  const columns = useMemo<Column<StorageCost>[]>(
    () => [
      { id: 'storage', header: t('storage'), cell: ({ storage }) => t(`names.${storage}`) },
      {
        id: 'bytes',
        header: t('bytes'),
        kind: 'number',
        sortBy: (cost) => cost.bytes,
        cell: (cost) => (
          <div className={styles.bytes}>
            {bytes(cost.bytes)}
            <LimitBar value={cost.bytes} limit={maxBytes} max={maxBytes} />
          </div>
        ),
      },
      {
        id: 'perHit',
        header: t('perHit'),
        kind: 'number',
        sortBy: (cost) => cost.bytesPerHit,
        cell: (cost) => t('bytesPerHit', { count: roundToTenth(cost.bytesPerHit) }),
      },
      {
        id: 'read',
        header: t('read'),
        kind: 'number',
        sortBy: (cost) => cost.bytesRead,
        cell: (cost) => bytes(cost.bytesRead),
      },
      {
        id: 'window',
        header: t('window'),
        sortBy: (cost) => Number(cost.canQueryWindow),
        cell: (cost) => (
          <Badge tone={cost.canQueryWindow ? 'good' : 'neutral'}>
            {t(cost.canQueryWindow ? 'yes' : 'no')}
          </Badge>
        ),
      },
      {
        id: 'commands',
        header: t('commands'),
        cell: (cost) => <code className={layout.commands}>{cost.commands.join('\n')}</code>,
      },
    ],
    [t, bytes, maxBytes],
  );

  return (
    <div className={layout.stack5}>
      <Panel>
        <Choice<number>
          legend={t('hits')}
          name="hits"
          value={hits}
          options={sizes.map((size) => ({ value: size, label: count(size) }))}
          onChange={(hits) => {
            setHits(hits);
            call.reset();
          }}
        />
        <CallStatus
          call={call}
          variant="primary"
          icon={Database}
          label={t('start')}
          onStart={() => call.start(hits)}
          isEarlier={isEarlier}
          idle={t('idle', { hits })}
        />
        <EarlierResult isEarlier={isEarlier}>
          <div className={layout.stack4}>
            <DataTable
              label={t('label')}
              columns={columns}
              rows={costs ?? noCosts}
              rowId={({ storage }) => storage}
              empty={t('empty')}
              manyColumns
            />
            {costs && (
              <>
                <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
                <p className={layout.hint}>{t('set')}</p>
                <KeyList
                  groups={costs.map(({ storage, key }) => ({ name: t(`names.${storage}`), keys: [key] }))}
                />
              </>
            )}
          </div>
        </EarlierResult>
      </Panel>
      <Growth />
    </div>
  );
}
