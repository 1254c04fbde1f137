'use client';

import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useId, useMemo, useState } from 'react';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { usePeriod } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { EarlierResult } from '../earlier-result';
import { LaneMarks } from '../lanes/lane-marks';
import { CallStatus, useLimitedCall } from '../limited-call';
import { NumberField } from '../number-field';
import { setQuery } from '../set-query';
import styles from '../two-sides.module.css';
import type { Layer, LayersInput, LayersSide } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import {
  FLOOD_MS,
  type Flood,
  findLayersPreset,
  floods,
  generateLayeredCalls,
  type LayersPresetName,
  layers,
  layersPresets,
} from './layered-calls';

const bounds = { min: 1, max: 10_000 } as const;

/** Sends one flood through three limits, decided together and separately. The URL names the preset. */
export default function LayersPlay({ initial }: { initial: LayersPresetName }) {
  const t = useTranslations('labLayers');
  const formatPeriod = usePeriod();
  const client = useTRPCClient();
  const [preset, setPreset] = useState(findLayersPreset(initial));
  const [flood, setFlood] = useState<Flood>(preset.flood);
  const [limits, setLimits] = useState<Readonly<Record<Layer, number>>>(preset.limits);
  const { windowMs } = preset;
  // A tutorial makes a claim about these numbers.
  const isClaimed = preset.name === 'three-levels' && flood === preset.flood && limits === preset.limits;
  const call = useLimitedCall((order: LayersInput, signal) => client.lab.layers.mutate(order, { signal }));
  const calls = generateLayeredCalls(flood);
  const limitOf = (layer: Layer) => ({ limit: limits[layer], windowMs });
  const input = {
    calls,
    limits: { gateway: limitOf('gateway'), api: limitOf('api'), user: limitOf('user') },
  };
  const isEarlier =
    call.data !== undefined &&
    (call.wasCancelled || JSON.stringify(call.dataInput) !== JSON.stringify(input));

  function choosePreset(name: string): void {
    const chosen = findLayersPreset(name);
    setPreset(chosen);
    setFlood(chosen.flood);
    setLimits(chosen.limits);
    setQuery('layers', chosen.name);
    call.reset();
  }

  return (
    <div className={styles.play}>
      <Panel>
        <div className={styles.fields}>
          <SelectField
            label={t('preset')}
            value={preset.name}
            options={layersPresets.map(({ name }) => ({ value: name, label: t(`presets.${name}`) }))}
            onChange={choosePreset}
          />
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
              label={t(`limitOf.${layer}`, { window: formatPeriod(windowMs) })}
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
          icon={Play}
          label={t('start')}
          onStart={() => call.start(input)}
          isEarlier={isEarlier}
          idle={
            call.data && isClaimed && !isEarlier
              ? t('claim', { calls: calls.length, limit: limits.gateway, ...call.data.together.stopped })
              : t('idle', { calls: calls.length })
          }
        />
      </Panel>
      <EarlierResult isEarlier={isEarlier}>
        <div className={styles.sides}>
          <LayersSideView name="together" side={call.data?.together} />
          <LayersSideView name="apart" side={call.data?.apart} />
        </div>
      </EarlierResult>
    </div>
  );
}

interface Props {
  name: 'together' | 'apart';
  /** `undefined` before the first run. */
  side: LayersSide | undefined;
}

/** One way of deciding. Each layer shows passed calls above its line and stopped calls below. */
function LayersSideView({ name, side }: Props) {
  const t = useTranslations('labLayers');
  const { count } = useLabNumbers();
  const id = useId();
  const lanes = useMemo(() => splitByLayer(side), [side]);
  const all = side?.decisions.map(({ at }) => at) ?? noTimes;

  return (
    <section aria-labelledby={id}>
      <Panel>
        <div>
          <h3 id={id} className={layout.title}>
            {t(`${name}.title`)}
          </h3>
          <p className={styles.about}>{t(`${name}.about`)}</p>
        </div>
        <ol className={layout.stack3}>
          {lanes.map(({ layer, passed, stopped }) => (
            <li key={layer}>
              <div className={styles.head}>
                <h4 className={styles.name}>{t(`layer.${layer}`)}</h4>
                <p className={styles.tally}>
                  {side ? t('tally', { passed: passed.length, stopped: stopped.length }) : t('notRun')}
                </p>
              </div>
              <LaneMarks
                spanMs={FLOOD_MS}
                windowMs={FLOOD_MS}
                above={passed}
                below={stopped}
                comparedWith={[all]}
              />
              <p className={styles.wasted}>
                {side ? t('wasted', { count: side.chargedThenRefused[layer] }) : '\u00a0'}
              </p>
            </li>
          ))}
        </ol>
        <dl className={styles.facts}>
          <div>
            <dt>{t('admitted')}</dt>
            <dd>{side ? count(side.admitted) : '–'}</dd>
          </div>
          <div>
            <dt>{t('wastedTotal')}</dt>
            <dd>
              {side ? count(layers.reduce((sum, layer) => sum + side.chargedThenRefused[layer], 0)) : '–'}
            </dd>
          </div>
          <div>
            <dt>{t('roundTrips')}</dt>
            <dd>{side ? count(side.roundTrips) : '–'}</dd>
          </div>
        </dl>
      </Panel>
    </section>
  );
}

const noTimes: readonly number[] = [];

interface LayerLane {
  layer: Layer;
  passed: readonly number[];
  stopped: readonly number[];
}

/** Splits the calls of each layer. A call reaches the layers up to the one that stopped it. */
function splitByLayer(side: LayersSide | undefined): LayerLane[] {
  return layers.map((layer, index) => {
    const later = layers.slice(index + 1);
    const decisions = side?.decisions ?? [];
    return {
      layer,
      passed: decisions
        .filter(({ stoppedBy }) => stoppedBy === null || later.includes(stoppedBy))
        .map(({ at }) => at),
      stopped: decisions.filter(({ stoppedBy }) => stoppedBy === layer).map(({ at }) => at),
    };
  });
}
