import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { SelectField } from '../../_components/ui/field';
import { usePeriod } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { FormAndResults, Result, StartButton, useExperiment, useFirstRun, useUrlChoice } from '../experiment';
import styles from '../lab.module.css';
import { NumberField, useLabNumbers } from '../numbers';
import { Side } from '../two-sides';
import type { Layer, LayersSide } from '../types';
import {
  FLOOD_MS,
  type Flood,
  findLayersPreset,
  floods,
  generateLayeredCalls,
  layers,
  layersPresets,
} from './layered-calls';

const bounds = { min: 1, max: 10_000 } as const;

/** Sends one flood through three limits, decided together and separately. The URL names the preset. */
export default function Layers() {
  const t = useTranslations('labLayers');
  const formatPeriod = usePeriod();
  const client = useTRPCClient();
  const [presetName, choosePreset] = useUrlChoice('layers');
  const preset = findLayersPreset(presetName);
  const { windowMs } = preset;
  const [flood, setFlood] = useState<Flood>(preset.flood);
  const [limits, setLimits] = useState<Readonly<Record<Layer, number>>>(preset.limits);
  const calls = generateLayeredCalls(flood);
  const limitOf = (layer: Layer) => ({ limit: limits[layer], windowMs });
  const experiment = useExperiment(
    { calls, limits: { gateway: limitOf('gateway'), api: limitOf('api'), user: limitOf('user') } },
    (input, signal) => client.lab.layers.mutate(input, { signal }),
  );
  useFirstRun(experiment, false);
  const { data, isEarlier } = experiment;
  // A tutorial makes a claim about these numbers.
  const isClaimed = preset.name === 'three-levels' && flood === preset.flood && limits === preset.limits;

  return (
    <FormAndResults
      form={
        <>
          <div className={styles.fields}>
            <SelectField
              label={t('preset')}
              value={preset.name}
              options={layersPresets.map(({ name }) => ({ value: name, label: t(`presets.${name}`) }))}
              onChange={(name) => {
                const chosen = findLayersPreset(name);
                choosePreset(chosen.name);
                setFlood(chosen.flood);
                setLimits(chosen.limits);
              }}
            />
            <SelectField
              label={t('flood')}
              value={flood}
              options={floods.map((one) => ({ value: one, label: t(`floods.${one}`) }))}
              onChange={(value) => setFlood(floods.find((one) => one === value) ?? flood)}
            />
            {layers.map((layer) => (
              <NumberField
                key={layer}
                label={t(`limitOf.${layer}`, { window: formatPeriod(windowMs) })}
                value={limits[layer]}
                bounds={bounds}
                onChange={(limit) => setLimits({ ...limits, [layer]: limit })}
              />
            ))}
          </div>
          <StartButton
            experiment={experiment}
            variant="primary"
            icon={Play}
            label={t('start')}
            idle={
              data && isClaimed && !isEarlier
                ? t('claim', { calls: calls.length, limit: limits.gateway, ...data.together.stopped })
                : t('idle', { calls: calls.length })
            }
          />
        </>
      }
    >
      <Result isEarlier={isEarlier}>
        <div className={styles.sides}>
          <LayersSideView name="together" side={data?.together} />
          <LayersSideView name="apart" side={data?.apart} />
        </div>
      </Result>
    </FormAndResults>
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
  const decisions = side?.decisions ?? [];
  const format = (value: number | undefined) => (value === undefined ? '–' : count(value));
  const wasted = side && layers.reduce((sum, layer) => sum + side.chargedThenRefused[layer], 0);

  const lanes = layers.map((layer, index) => {
    // A call passes a layer if none or a later one stopped it.
    const later = layers.slice(index + 1);
    const passed = decisions.filter(({ stoppedBy }) => stoppedBy === null || later.includes(stoppedBy));
    const stopped = decisions.filter(({ stoppedBy }) => stoppedBy === layer);
    return {
      name: t(`layer.${layer}`),
      tally: side ? t('tally', { passed: passed.length, stopped: stopped.length }) : t('notRun'),
      above: passed.map(({ at }) => at),
      below: stopped.map(({ at }) => at),
      note: side ? t('wasted', { count: side.chargedThenRefused[layer] }) : '\u00a0',
    };
  });

  return (
    <Side
      title={t(`${name}.title`)}
      about={t(`${name}.about`)}
      lanes={lanes}
      spanMs={FLOOD_MS}
      windowMs={FLOOD_MS}
      comparedWith={decisions.map(({ at }) => at)}
      facts={[
        { name: t('admitted'), value: format(side?.admitted) },
        { name: t('wastedTotal'), value: format(wasted) },
        { name: t('roundTrips'), value: format(side?.roundTrips) },
      ]}
    />
  );
}
