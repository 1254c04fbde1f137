'use client';

import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Panel } from '../../_components/ui/panel';
import { useDurations } from '../../_i18n/use-durations';
import { algorithms } from '../algorithms';
import { CallStatus } from '../call-status';
import { KeyList } from '../keys/key-list';
import { LaneLegend } from '../lanes/lane-legend';
import { RunLane } from '../lanes/run-lane';
import { Scrubber } from '../lanes/scrubber';
import { type Scenario, spanMsOf } from '../scenario';
import { generateArrivals } from '../traffic/generate-arrivals';
import styles from './experiment.module.css';
import { RunTable } from './run-table';
import { ScenarioForm } from './scenario-form';
import { TakeAway } from './take-away';
import { ToldList } from './told-list';
import { useLabRun } from './use-lab-run';
import { useScenario } from './use-scenario';
import { WindowChart } from './window-chart';

/** One scenario, decided by all algorithms. What is shown of a run is of the scenario as it stands in the form. */
export default function Experiment({ initial }: { initial: Scenario }) {
  const t = useTranslations('lab');
  const { length } = useDurations();
  const { draft, scenario, change } = useScenario(initial);
  const run = useLabRun();
  const [lookedAt, setLookedAt] = useState<number>();
  const arrivals = useMemo(() => generateArrivals(scenario), [scenario]);
  const runs = run.data?.runs;
  const { limit, windowMs } = scenario;
  const spanMs = spanMsOf(scenario);
  const at = Math.min(lookedAt ?? arrivals.at(-1) ?? 0, spanMs);
  const calls = arrivals.length;

  return (
    <div className={styles.experiment}>
      <Panel>
        <ScenarioForm
          draft={draft}
          onChange={(changes) => {
            change(changes);
            run.forget();
            setLookedAt(undefined);
          }}
        />
        <CallStatus
          call={run}
          variant="primary"
          label={
            <>
              <Play size={18} aria-hidden="true" />
              {t('run.start')}
            </>
          }
          closed={calls === 0}
          onStart={() => run.start(scenario)}
          progress={run.progress}
          idle={runs ? t('run.done', { calls: calls * algorithms.length }) : t('run.idle', { calls })}
        />
      </Panel>
      <section aria-labelledby="lanes">
        <Panel>
          <h2 id="lanes" className={styles.title}>
            {t('lanes.title', { limit, window: length(windowMs) })}
          </h2>
          <LaneLegend windowLength={length(windowMs)} />
          <div>
            <Scrubber
              arrivals={arrivals}
              spanMs={spanMs}
              windowMs={windowMs}
              at={at}
              onChange={setLookedAt}
            />
            <ul>
              {algorithms.map((algorithm) => (
                <RunLane
                  key={algorithm}
                  algorithm={algorithm}
                  limit={limit}
                  windowMs={windowMs}
                  spanMs={spanMs}
                  arrivals={arrivals}
                  run={runs?.find((one) => one.algorithm === algorithm)}
                  at={at}
                />
              ))}
            </ul>
          </div>
        </Panel>
      </section>
      <section aria-labelledby="numbers">
        <Panel>
          <h2 id="numbers" className={styles.title}>
            {t('numbers.title')}
          </h2>
          <RunTable runs={runs} limit={limit} />
          <WindowChart runs={runs} limit={limit} windowMs={windowMs} spanMs={spanMs} at={at} />
        </Panel>
      </section>
      {runs && (
        <>
          <section aria-labelledby="told">
            <Panel>
              <h2 id="told" className={styles.title}>
                {t('told.title')}
              </h2>
              <ToldList runs={runs} />
            </Panel>
          </section>
          <section aria-labelledby="keys">
            <Panel>
              <h2 id="keys" className={styles.title}>
                {t('keys.title')}
              </h2>
              <p className={styles.lead}>{t('keys.lead')}</p>
              <KeyList
                groups={runs.map(({ algorithm, keys }) => ({ name: t(`algorithm.${algorithm}`), keys }))}
              />
            </Panel>
          </section>
          <section aria-labelledby="take-away">
            <Panel>
              <h2 id="take-away" className={styles.title}>
                {t('takeAway.title')}
              </h2>
              <TakeAway scenario={scenario} runs={runs} />
            </Panel>
          </section>
        </>
      )}
    </div>
  );
}
