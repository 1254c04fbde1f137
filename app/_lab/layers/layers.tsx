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
import type { Layer, LayersInput } from '../types';
import { useLimitedCall } from '../use-limited-call';
import { type Flood, floods, generateLayeredCalls, layers } from './layered-calls';
import styles from './layers.module.css';
import { LayersSideView } from './layers-side';

const windowMs = 1_000;
const defaultLimits: Record<Layer, number> = { gateway: 20, api: 30, user: 5 };
const bounds = { min: 1, max: 200 } as const;

/** Sends one flood through three limits, decided together and separately. */
export default function LayersPlay() {
  const t = useTranslations('lab.layers');
  const { length } = useDurations();
  const client = useTRPCClient();
  const [flood, setFlood] = useState<Flood>('one-caller');
  const [limits, setLimits] = useState(defaultLimits);
  const call = useLimitedCall((order: LayersInput, signal) => client.lab.layers.mutate(order, { signal }));
  const calls = generateLayeredCalls(flood);

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
              call.reset();
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
                call.reset();
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
