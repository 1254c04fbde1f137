'use client';

import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Panel } from '../../_components/ui/panel';
import { Skeleton } from '../../_components/ui/skeleton';
import { useDurations } from '../../_i18n/use-durations';
import { algorithms } from '../algorithms';
import { CallStatus } from '../call-status';
import { generateArrivals } from '../generate-arrivals';
import { LaneLegend } from '../lanes/lane-legend';
import { RunLane } from '../lanes/run-lane';
import { Scrubber } from '../lanes/scrubber';
import { getSpanMs, type Scenario } from '../scenario';
import styles from './experiment.module.css';
import { ScenarioForm } from './scenario-form';
import { useLabRun } from './use-lab-run';
import { useScenario } from './use-scenario';

/** Tables and charts, loaded with the first result. */
const Results = lazy(() => import('./results'));

/** Runs one scenario with all algorithms. A change of the form discards the previous run. */
export default function Experiment({ initial }: { initial: Scenario }) {
  const t = useTranslations('lab');
  const { length } = useDurations();
  const { draft, scenario, change } = useScenario(initial);
  const run = useLabRun();
  const [selectedAt, setSelectedAt] = useState<number>();
  const arrivals = useMemo(() => generateArrivals(scenario), [scenario]);
  const runs = run.data?.runs;
  const { limit, windowMs } = scenario;
  const spanMs = getSpanMs(scenario);
  const at = Math.min(selectedAt ?? arrivals.at(-1) ?? 0, spanMs);
  const calls = arrivals.length;

  return (
    <div className={styles.experiment}>
      <Panel>
        <ScenarioForm
          draft={draft}
          onChange={(changes) => {
            change(changes);
            run.reset();
            setSelectedAt(undefined);
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
              onChange={setSelectedAt}
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
      {runs && (
        <Suspense
          fallback={
            <div className={styles.placeholder}>
              <Skeleton shape="panel" />
            </div>
          }
        >
          <Results scenario={scenario} runs={runs} at={at} />
        </Suspense>
      )}
    </div>
  );
}
