import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { generateArrivals } from '../generate-arrivals';
import { drawStrokes } from '../lanes/call-blocks';
import { getSpanMs, parseScenario, type Traffic, traffics } from '../scenario';
import styles from './traffic-choice.module.css';

interface Props {
  value: Traffic;
  onChange(value: Traffic): void;
}

const sketch = { width: 64, height: 16 } as const;
/** Sample recordings for the sketches. */
const EXAMPLE_OFFSETS = { taps: '0.a0.60.160.50.1k0', live: '0.20.10.4.80.3c0.2.4.60' };

/** Radio buttons for the kind of traffic, each with a sketch of its calls. */
export function TrafficChoice({ value, onChange }: Props) {
  const t = useTranslations('lab.traffic');
  return (
    <fieldset>
      <legend className={layout.legend}>{t('legend')}</legend>
      <div className={styles.tiles}>
        {traffics.map((traffic) => (
          <label key={traffic} className={classNames(styles.tile, traffic === 'preset' && styles.last)}>
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
              <span className={styles.name}>{t(`${traffic}.name`)}</span>
            </span>
          </label>
        ))}
      </div>
      <p className={styles.about}>{t(`${value}.about`)}</p>
    </fieldset>
  );
}

const sketches = {
  edge: drawSketch('edge'),
  steady: drawSketch('steady'),
  pulse: drawSketch('pulse'),
  poisson: drawSketch('poisson'),
  taps: drawSketch('taps'),
  live: drawSketch('live'),
  preset: drawSketch('preset'),
} as const satisfies Record<Traffic, string>;

function drawSketch(traffic: Traffic): string {
  const query = new URLSearchParams({ traffic, limit: '6', window: '1000' });
  if (traffic === 'preset') query.set('window', '60000');
  if (traffic === 'taps' || traffic === 'live') query.set('at', EXAMPLE_OFFSETS[traffic]);
  const scenario = parseScenario(query);
  return drawStrokes(generateArrivals(scenario), {
    spanMs: getSpanMs(scenario),
    widthPx: sketch.width,
    top: 3,
    height: sketch.height - 3,
  });
}
