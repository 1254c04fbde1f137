import { Dices } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { useDurations } from '../../_i18n/use-durations';
import { NumberField } from '../number-field';
import { findPreset, hasPresetNumbers, type PresetName } from '../presets';
import { bounds } from '../scenario';
import { PresetChoice } from './preset-choice';
import { LiveCalls, TapPad } from './recorded-traffic';
import styles from './scenario-form.module.css';
import { TrafficChoice } from './traffic-choice';
import type { Draft } from './use-scenario';

interface Props {
  draft: Draft;
  onChange(changes: Partial<Draft>): void;
}

const windowChoicesMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 600_000] as const;
const lengthChoices = [2, 3, 4, 5, 6] as const;

/** The form for the traffic and the limit. */
export function ScenarioForm({ draft, onChange }: Props) {
  const t = useTranslations('lab.form');
  const { length } = useDurations();
  const { traffic, limit, windowMs, load, windows, seed } = draft;
  const isGenerated = !['taps', 'live', 'preset'].includes(traffic);
  // A URL may contain a window that the list does not offer.
  const windowsMs = [...new Set<number>([...windowChoicesMs, windowMs])].sort((a, b) => a - b);

  return (
    <div className={layout.stack4}>
      <TrafficChoice
        value={traffic}
        onChange={(traffic) => onChange(traffic === 'preset' ? toPreset(draft.preset) : { traffic })}
      />
      {traffic === 'preset' && (
        <PresetChoice
          value={draft.preset}
          isChanged={!hasPresetNumbers(draft)}
          onChange={(name) => onChange(toPreset(name))}
        />
      )}
      {traffic === 'taps' && (
        <TapPad taps={draft.taps} windowMs={windowMs} onChange={(taps) => onChange({ taps })} />
      )}
      {traffic === 'live' && <LiveCalls taken={draft.live} onTake={(live) => onChange({ live })} />}
      <div className={styles.fields}>
        <NumberField
          label={t('limit')}
          value={limit}
          bounds={bounds.limit}
          onChange={(limit) => onChange({ limit })}
        />
        <SelectField
          label={t('window')}
          value={String(windowMs)}
          options={windowsMs.map((ms) => ({ value: String(ms), label: length(ms) }))}
          onChange={(ms) => onChange({ windowMs: Number(ms) })}
        />
        {isGenerated && (
          <>
            <NumberField
              label={t('load')}
              value={load}
              bounds={bounds.load}
              onChange={(load) => onChange({ load })}
            />
            <SelectField
              label={t('length')}
              value={String(windows)}
              options={lengthChoices.map((count) => ({
                value: String(count),
                label: t('windows', { count }),
              }))}
              onChange={(count) => onChange({ windows: Number(count) })}
            />
          </>
        )}
        {traffic === 'poisson' && (
          <div className={styles.seed}>
            <NumberField
              label={t('seed')}
              value={seed}
              bounds={bounds.seed}
              onChange={(seed) => onChange({ seed })}
            />
            <Button
              aria-label={t('otherSeed')}
              onClick={() => onChange({ seed: Math.floor(Math.random() * bounds.seed.max) })}
            >
              <Dices size={18} aria-hidden="true" />
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Returns a preset with its own limit and window. */
function toPreset(name: PresetName): Partial<Draft> {
  const { limit, windowMs } = findPreset(name);
  return { traffic: 'preset', preset: name, limit, windowMs };
}
