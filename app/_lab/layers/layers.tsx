'use client';

import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { SelectField } from '../../_components/ui/field';
import { Panel } from '../../_components/ui/panel';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { CallStatus } from '../call-status';
import { NumberField } from '../compare/number-field';
import type { Layer, LayersOrder } from '../types';
import { useLimitedCall } from '../use-limited-call';
import { type Flood, floods, layeredCalls, layers } from './layered-calls';
import styles from './layers.module.css';
import { LayersSideView } from './layers-side';

const windowMs = 1_000;
const usualLimits: Record<Layer, number> = { gateway: 20, api: 30, user: 5 };
const bounds = { least: 1, most: 200 } as const;

/** The same flood before three limits, decided at once and one after the other. */
export default function LayersPlay() {
  const t = useTranslations('lab.layers');
  const { length } = useDurations();
  const client = useTRPCClient();
  const [flood, setFlood] = useState<Flood>('one-caller');
  const [limits, setLimits] = useState(usualLimits);
  const call = useLimitedCall((order: LayersOrder, signal) => client.lab.layers.mutate(order, { signal }));
  const calls = layeredCalls(flood);

  function start(): void {
    const limitOf = (layer: Layer) => ({ limit: limits[layer], windowMs });
    call.start({
      calls,
      limits: { gateway: limitOf('gateway'), api: limitOf('api'), user: limitOf('user') },
    });
  }

  return (
    <div className={styles.layers}>
      <Panel>
        <div className={styles.fields}>
          <SelectField
            label={t('flood')}
            value={flood}
            options={floods.map((one) => ({ value: one, label: t(`floods.${one}`) }))}
            onChange={(value) => {
              setFlood(floods.find((one) => one === value) ?? flood);
              call.forget();
            }}
          />
          {layers.map((layer) => (
            <NumberField
              key={layer}
              label={t(`limitOf.${layer}`, { window: length(windowMs) })}
              value={limits[layer]}
              bounds={bounds}
              onChange={(limit) => {
                setLimits({ ...limits, [layer]: limit });
                call.forget();
              }}
            />
          ))}
        </div>
        <CallStatus
          call={call}
          variant="primary"
          label={
            <>
              <Play size={18} aria-hidden="true" />
              {t('start')}
            </>
          }
          onStart={start}
          idle={t('idle', { calls: calls.length })}
        />
      </Panel>
      <div className={styles.sides}>
        <LayersSideView name="together" side={call.data?.together} />
        <LayersSideView name="apart" side={call.data?.apart} />
      </div>
    </div>
  );
}
