'use client';

import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Panel } from '../../_components/ui/panel';
import { Skeleton } from '../../_components/ui/skeleton';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { useQuery } from '../../_trpc/query';
import { newRequestId } from '../../_trpc/request-id';
import { generateArrivals } from '../generate-arrivals';
import styles from '../lab-parts.module.css';
import { RunLanes } from '../lanes/run-lanes';
import { CallStatus, useLimitedCall } from '../limited-call';
import { encodeScenario, getSpanMs, type Scenario } from '../scenario';
import type { AlgorithmRun } from '../types';
import { algorithms } from './algorithms';
import { PresetClaim } from './preset-claim';
import { ScenarioForm } from './scenario-form';
import { SubWindows } from './sub-windows';
import { type Draft, useScenario } from './use-scenario';

/** Tables and charts, loaded with the first result. */
const Results = lazy(() => import('./results'));

interface Props {
  initial: Scenario;
  /** A finished run of `initial`, shown until the visitor changes the scenario or runs it. */
  example: { runs: readonly AlgorithmRun[] } | null;
}

/** Runs one scenario with all algorithms. A change of the form discards the previous run. */
export default function Experiment({ initial, example }: Props) {
  const t = useTranslations('lab');
  const { draft, scenario, change } = useScenario(initial);
  const run = useLabRun();
  const [selectedAt, setSelectedAt] = useState<number>();
  const arrivals = useMemo(() => generateArrivals(scenario), [scenario]);
  const isInitial = String(encodeScenario(scenario)) === String(encodeScenario(initial));
  const runs = run.data?.runs ?? (isInitial ? example?.runs : undefined);
  const at = Math.min(selectedAt ?? arrivals.at(-1) ?? 0, getSpanMs(scenario));
  const calls = arrivals.length;

  function onChange(changes: Partial<Draft>): void {
    change(changes);
    run.reset();
    setSelectedAt(undefined);
  }

  return (
    <div className={styles.experiment}>
      <Panel>
        <ScenarioForm draft={draft} onChange={onChange} />
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
      <RunLanes
        scenario={scenario}
        arrivals={arrivals}
        runs={runs}
        at={at}
        onSelect={setSelectedAt}
        controls={{ 'sliding-counter': <SubWindows scenario={scenario} onChange={onChange} /> }}
      />
      {scenario.traffic === 'preset' && (
        <div className={styles.below}>
          <PresetClaim scenario={scenario} runs={runs} />
        </div>
      )}
      {run.data && (
        <div className={styles.below}>
          <Suspense
            fallback={
              <div className={styles.results}>
                <Skeleton shape="panel" />
              </div>
            }
          >
            <Results scenario={scenario} runs={run.data.runs} at={at} />
          </Suspense>
        </div>
      )}
    </div>
  );
}

const POLL_INTERVAL_MS = 300;

interface RunInput {
  scenario: Scenario;
  runId: string;
}

/** Starts a run of all algorithms and polls its progress. */
function useLabRun() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const call = useLimitedCall(({ scenario, runId }: RunInput, signal) =>
    client.lab.run.mutate(
      {
        algorithms: [...algorithms],
        limit: scenario.limit,
        windowMs: scenario.windowMs,
        subWindows: scenario.subWindows,
        arrivals: generateArrivals(scenario),
        runId,
      },
      { signal },
    ),
  );
  const progress = useQuery({
    ...trpc.lab.progress.queryOptions({ runId: call.input?.runId ?? '' }),
    enabled: call.busy,
    refetchInterval: POLL_INTERVAL_MS,
    retry: false,
  });

  return {
    ...call,
    start: (scenario: Scenario) => call.start({ scenario, runId: newRequestId() }),
    progress: (call.busy && progress.data) || undefined,
  };
}
