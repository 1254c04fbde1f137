import { useTranslations } from 'next-intl';
import { useId, useMemo } from 'react';
import { Panel } from '../../_components/ui/panel';
import { LaneMarks } from '../lanes/lane-marks';
import type { Layer, LayersSide } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { floodMs, layers } from './layered-calls';
import styles from './layers-side.module.css';

interface Props {
  name: 'together' | 'apart';
  /** `undefined` before the first run. */
  side: LayersSide | undefined;
}

const noTimes: readonly number[] = [];

/** One way of deciding. Each layer shows passed calls above its line and stopped calls below. */
export function LayersSideView({ name, side }: Props) {
  const t = useTranslations('lab.layers');
  const { count } = useLabNumbers();
  const id = useId();
  const lanes = useMemo(() => splitByLayer(side), [side]);
  const all = side?.decisions.map(({ at }) => at) ?? noTimes;

  return (
    <section aria-labelledby={id}>
      <Panel>
        <div>
          <h3 id={id} className={styles.title}>
            {t(`${name}.title`)}
          </h3>
          <p className={styles.about}>{t(`${name}.about`)}</p>
        </div>
        <ol className={styles.lanes}>
          {lanes.map(({ layer, passed, stopped }) => (
            <li key={layer}>
              <div className={styles.head}>
                <h4 className={styles.name}>{t(`layer.${layer}`)}</h4>
                <p className={styles.tally}>
                  {side ? t('tally', { passed: passed.length, stopped: stopped.length }) : t('notRun')}
                </p>
              </div>
              <LaneMarks
                spanMs={floodMs}
                windowMs={floodMs}
                above={passed}
                below={stopped}
                comparedWith={[all]}
              />
              <p className={styles.wasted}>
                {side ? t('wasted', { count: side.chargedInVain[layer] }) : '\u00a0'}
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
            <dd>{side ? count(layers.reduce((sum, layer) => sum + side.chargedInVain[layer], 0)) : '–'}</dd>
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
