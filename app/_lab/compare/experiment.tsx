'use client';

import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Panel } from '../../_components/ui/page-parts';
import { Skeleton } from '../../_components/ui/status';
import { newRequestId } from '../../_shell/request-id';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { EarlierResult } from '../earlier-result';
import { generateArrivals } from '../generate-arrivals';
import styles from '../lab-parts.module.css';
import { RunLanes } from '../lanes/run-lanes';
import { CallStatus, useLimitedCall } from '../limited-call';
import { hasPresetNumbers } from '../presets';
import { encodeScenario, getSpanMs, type Scenario } from '../scenario';
import type { DrawnRun } from '../types';
import { algorithms } from './algorithms';
import { PresetClaim } from './preset-claim';
import { ScenarioForm } from './scenario-form';
import { SubWindows } from './sub-windows';
import { type Draft, useScenario } from './use-scenario';

/** Tables and charts, loaded with the first result. */
const Results = dynamic(() => import('./results'), {
  loading: () => (
    <div className={styles.results}>
      <Skeleton shape="panel" />
    </div>
  ),
});

interface Props {
  initial: Scenario;
  /** A finished run of `initial`, shown until the visitor changes the scenario or runs it. */
  example: readonly DrawnRun[] | null;
}

/** Runs one scenario with all algorithms. After a change of the form, the previous run stays until the next one. */
export default function Experiment({ initial, example }: Props) {
  const t = useTranslations('lab');
  const { draft, scenario, change } = useScenario(initial);
  const run = useLabRun();
  const [selectedAt, setSelectedAt] = useState<number>();
  const result = run.result ?? (example && { scenario: initial, runs: example });
  const isEarlier = result !== null && (run.wasCancelled || !isSame(result.scenario, scenario));
  const shown = result?.scenario ?? scenario;
  // A claim is stated before its run, and stays while its numbers are changed.
  const claimed = scenario.traffic === 'preset' && hasPresetNumbers(scenario) ? scenario : shown;
  const isClaimEarlier = isEarlier && isSame(claimed, shown);
  const arrivals = useMemo(() => generateArrivals(shown), [shown]);
  // Before the first run no call has been decided.
  const latest = (result && arrivals.at(-1)) ?? 0;
  const at = Math.min(selectedAt ?? latest, getSpanMs(shown));
  const calls = useMemo(() => generateArrivals(scenario).length, [scenario]);

  function onChange(changes: Partial<Draft>): void {
    change(changes);
    run.reset();
  }

  function start(): void {
    run.start(scenario);
    if (isEarlier) setSelectedAt(undefined);
  }

  return (
    <div className={styles.experiment}>
      <Panel>
        <ScenarioForm draft={draft} onChange={onChange} />
        <div className={styles.start}>
          <CallStatus
            call={run}
            variant="primary"
            icon={Play}
            label={t('run.start')}
            closed={calls === 0}
            onStart={start}
            progress={run.progress}
            isEarlier={isEarlier}
            idle={
              result && !isEarlier
                ? t('run.done', { calls: calls * algorithms.length })
                : t('run.idle', { calls })
            }
          />
        </div>
      </Panel>
      <EarlierResult isEarlier={isEarlier}>
        <RunLanes
          scenario={shown}
          arrivals={arrivals}
          runs={result?.runs}
          at={at}
          onSelect={setSelectedAt}
          controls={{ 'sliding-counter': <SubWindows scenario={scenario} onChange={onChange} /> }}
        />
      </EarlierResult>
      {claimed.traffic === 'preset' && (
        <div className={styles.below}>
          <EarlierResult isEarlier={isClaimEarlier}>
            <PresetClaim scenario={claimed} runs={isEarlier === isClaimEarlier ? result?.runs : undefined} />
          </EarlierResult>
        </div>
      )}
      {run.result && (
        <div className={styles.below}>
          <EarlierResult isEarlier={isEarlier}>
            <Results scenario={shown} runs={run.result.runs} at={at} />
          </EarlierResult>
        </div>
      )}
    </div>
  );
}

function isSame(one: Scenario, other: Scenario): boolean {
  return String(encodeScenario(one)) === String(encodeScenario(other));
}

const POLL_INTERVAL_MS = 300;

interface RunInput {
  scenario: Scenario;
  runId: string;
}

/** Starts a run of all algorithms and polls its progress. The latest result stays until the next one. */
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

  const result = useMemo(
    () => call.data && call.dataInput && { scenario: call.dataInput.scenario, runs: call.data.runs },
    [call.data, call.dataInput],
  );

  return {
    ...call,
    result,
    start: (scenario: Scenario) => call.start({ scenario, runId: newRequestId() }),
    progress: (call.busy && progress.data) || undefined,
  };
}
