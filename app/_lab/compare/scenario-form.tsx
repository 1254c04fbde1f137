import { Dices } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { useDurations } from '../../_i18n/use-durations';
import { generateArrivals } from '../generate-arrivals';
import { drawStrokes } from '../lanes/call-blocks';
import { NumberField } from '../numbers';
import { findPreset, hasPresetNumbers, type PresetName, presets } from '../presets';
import { bounds, type Draft, getSpanMs, parseScenario, type Traffic, traffics } from '../scenario';
import styles from './compare.module.css';
import { LiveCalls, TapPad } from './recorded-traffic';

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
  const { traffic, windowMs, windows } = draft;
  const isGenerated = !['taps', 'live', 'preset'].includes(traffic);
  // A URL may contain a window that the list does not offer.
  const windowsMs = [...new Set<number>([...windowChoicesMs, windowMs])].sort((a, b) => a - b);

  function renderNumber(name: 'limit' | 'load' | 'seed') {
    return (
      <NumberField
        label={t(name)}
        value={draft[name]}
        bounds={bounds[name]}
        onChange={(number) => onChange({ [name]: number })}
      />
    );
  }

  return (
    <div className={layout.stack4}>
      <TrafficChoice
        value={traffic}
        onChange={(traffic) => onChange(traffic === 'preset' ? toPreset(draft.preset) : { traffic })}
      />
      {traffic === 'preset' && <PresetChoice draft={draft} onChange={onChange} />}
      {traffic === 'taps' && (
        <TapPad taps={draft.taps} windowMs={windowMs} onChange={(taps) => onChange({ taps })} />
      )}
      {traffic === 'live' && <LiveCalls taken={draft.live} onTake={(live) => onChange({ live })} />}
      <div className={styles.fields}>
        {renderNumber('limit')}
        <SelectField
          label={t('window')}
          value={String(windowMs)}
          options={windowsMs.map((ms) => ({ value: String(ms), label: length(ms) }))}
          onChange={(ms) => onChange({ windowMs: Number(ms) })}
        />
        {isGenerated && (
          <>
            {renderNumber('load')}
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
            {renderNumber('seed')}
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

/** Selects a preset and describes its calls. */
function PresetChoice({ draft, onChange }: Props) {
  const t = useTranslations('lab');
  const { preset } = draft;
  return (
    <div className={layout.stack2}>
      <SelectField
        label={t('preset.label')}
        value={preset}
        options={presets.map(({ name }) => ({ value: name, label: t(`preset.${name}.name`) }))}
        onChange={(name) => onChange(toPreset(findPreset(name).name))}
      />
      <p className={layout.hint} role="status">
        {hasPresetNumbers(draft) ? t(`preset.${preset}.about`) : t('claim.changed')}
      </p>
    </div>
  );
}

interface TrafficProps {
  value: Traffic;
  onChange(value: Traffic): void;
}

const sketch = { width: 64, height: 16 } as const;

/** Radio buttons for the kind of traffic, each with a sketch of its calls. */
function TrafficChoice({ value, onChange }: TrafficProps) {
  const t = useTranslations('lab.traffic');
  return (
    <fieldset>
      <legend className={layout.legend}>{t('legend')}</legend>
      <div className={styles.tiles}>
        {traffics.map((traffic) => (
          <label key={traffic} className={classNames(styles.tile, traffic === 'preset' && styles.lastTile)}>
            <input
              type="radio"
              className={layout.radio}
              name="traffic"
              checked={traffic === value}
              onChange={() => onChange(traffic)}
            />
            <span className={styles.face}>
              <svg
                aria-hidden="true"
                className={styles.sketch}
                viewBox={`0 0 ${sketch.width} ${sketch.height}`}
              >
                <path d={sketches[traffic]} />
              </svg>
              <span className={styles.tileName}>{t(`${traffic}.name`)}</span>
            </span>
          </label>
        ))}
      </div>
      <p className={classNames(layout.hint, styles.about)}>{t(`${value}.about`)}</p>
    </fieldset>
  );
}

/** The sketch of each traffic: a small scenario, for recordings with sample times. */
const sketches = {
  edge: drawSketch('traffic=edge'),
  steady: drawSketch('traffic=steady'),
  pulse: drawSketch('traffic=pulse'),
  poisson: drawSketch('traffic=poisson'),
  taps: drawSketch('traffic=taps&at=0.a0.60.160.50.1k0'),
  live: drawSketch('traffic=live&at=0.20.10.4.80.3c0.2.4.60'),
  preset: drawSketch('traffic=preset', 60_000),
} as const satisfies Record<Traffic, string>;

function drawSketch(query: string, windowMs = 1_000): string {
  const scenario = parseScenario(new URLSearchParams(`${query}&limit=6&window=${windowMs}`));
  return drawStrokes(generateArrivals(scenario), {
    spanMs: getSpanMs(scenario),
    widthPx: sketch.width,
    top: 3,
    height: sketch.height - 3,
  });
}

interface SubWindowsProps {
  value: number;
  onChange(changes: Pick<Draft, 'subWindows'>): void;
}

/** A slider for the sub-windows of the sliding counter. */
export function SubWindows({ value, onChange }: SubWindowsProps) {
  const t = useTranslations('lab.form');
  const text = t('subWindowsOf', { count: value });
  return (
    <div className={classNames(layout.line2, styles.subWindows)}>
      <input
        type="range"
        className={classNames(layout.rest, styles.subWindowsRange)}
        aria-label={t('subWindows')}
        aria-valuetext={text}
        min={bounds.subWindows.min}
        max={bounds.subWindows.max}
        step={1}
        value={value}
        onChange={(event) => onChange({ subWindows: event.target.valueAsNumber })}
      />
      <span className={classNames(layout.hint, layout.figures, styles.subWindowsText)}>{text}</span>
    </div>
  );
}
