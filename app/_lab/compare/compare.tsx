import { Play } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect, useMemo, useState } from 'react';
import { Skeleton } from '../../_components/ui/status';
import { newRequestId } from '../../_shell/request-id';
import { useTRPCClient } from '../../_trpc/client';
import {
  FormAndResults,
  Result,
  StartButton,
  useExperiment,
  useFirstRun,
  useRunProgress,
} from '../experiment';
import { generateArrivals } from '../generate-arrivals';
import { RunLanes } from '../lanes/run-lanes';
import { hasPresetNumbers } from '../presets';
import { algorithms } from '../runs';
import {
  type Draft,
  encodeScenario,
  getSpanMs,
  parseScenario,
  type Scenario,
  toDraft,
  toScenario,
} from '../scenario';
import type { DrawnRun } from '../types';
import styles from './compare.module.css';
import { PresetClaim } from './preset-claim';
import { ScenarioForm, SubWindows } from './scenario-form';

/** Tables and a chart, loaded with the first run. */
const Results = dynamic(() => import('./results'), {
  loading: () => (
    <div className={styles.resultsPlaceholder}>
      <Skeleton shape="panel" />
    </div>
  ),
});

interface Props {
  /** A finished run of the URL's scenario, shown until the visitor changes the scenario or runs it. */
  example: readonly DrawnRun[] | null;
}

/** Runs one scenario with all algorithms. After a change of the form, the previous run stays until the next one. */
export function Compare({ example }: Props) {
  const t = useTranslations('lab');
  const { initial, draft, scenario, change } = useScenario();
  const { experiment, progress } = useLabRun(scenario);
  const [selectedAt, setSelectedAt] = useState<number>();
  // The tables and the chart follow a run of the visitor's own.
  const [hasStarted, setHasStarted] = useState(false);
  const decided = experiment.dataInput ?? (example ? initial : undefined);
  const runs = experiment.data?.runs ?? example ?? undefined;
  const isEarlier = decided !== undefined && (experiment.wasCancelled || !isSame(decided, scenario));
  const shown = decided ?? scenario;
  // A claim is stated before its run, and stays while its numbers are changed.
  const claimed = scenario.traffic === 'preset' && hasPresetNumbers(scenario) ? scenario : shown;
  const isClaimEarlier = isEarlier && isSame(claimed, shown);
  const arrivals = useMemo(() => generateArrivals(shown), [shown]);
  // Before the first run no call has been decided.
  const latest = (runs && arrivals.at(-1)) ?? 0;
  const at = Math.min(selectedAt ?? latest, getSpanMs(shown));
  const calls = useMemo(() => generateArrivals(scenario).length, [scenario]);
  useFirstRun(experiment, example !== null || calls === 0);

  function start(): void {
    experiment.start();
    setHasStarted(true);
    if (isEarlier) setSelectedAt(undefined);
  }

  return (
    <FormAndResults
      form={
        <>
          <ScenarioForm draft={draft} onChange={change} />
          <div className={styles.start}>
            <StartButton
              experiment={{ ...experiment, isEarlier, start }}
              variant="primary"
              icon={Play}
              label={t('run.start')}
              closed={calls === 0}
              progress={progress}
              idle={
                runs && !isEarlier
                  ? t('run.done', { calls: calls * algorithms.length })
                  : t('run.idle', { calls })
              }
            />
          </div>
        </>
      }
    >
      <Result isEarlier={isEarlier}>
        <RunLanes
          scenario={shown}
          arrivals={arrivals}
          runs={runs}
          at={at}
          onSelect={setSelectedAt}
          counterControl={<SubWindows value={scenario.subWindows} onChange={change} />}
        />
      </Result>
      {claimed.traffic === 'preset' && (
        <div className={styles.below}>
          <Result isEarlier={isClaimEarlier}>
            <PresetClaim scenario={claimed} runs={isEarlier === isClaimEarlier ? runs : undefined} />
          </Result>
        </div>
      )}
      {hasStarted && experiment.data && (
        <div className={styles.below}>
          <Result isEarlier={isEarlier}>
            <Results scenario={shown} runs={experiment.data.runs} at={at} />
          </Result>
        </div>
      )}
    </FormAndResults>
  );
}

function isSame(one: Scenario, other: Scenario): boolean {
  return String(encodeScenario(one)) === String(encodeScenario(other));
}

/** Runs a scenario with all algorithms and polls the progress. */
function useLabRun(scenario: Scenario) {
  const client = useTRPCClient();
  const [runId, setRunId] = useState('');
  const experiment = useExperiment(scenario, (scenario, signal) => {
    const runId = newRequestId();
    setRunId(runId);
    const { limit, windowMs, subWindows } = scenario;
    const arrivals = generateArrivals(scenario);
    return client.lab.run.mutate(
      { algorithms: [...algorithms], limit, windowMs, subWindows, arrivals, runId },
      { signal },
    );
  });
  return { experiment, progress: useRunProgress(experiment.busy ? runId : '') };
}

/** Browsers limit the rate of URL updates. */
const URL_UPDATE_DELAY_MS = 300;

/** The scenario of the form. The URL follows its changes, so that a reload or a shared link restores it. */
function useScenario() {
  const search = useSearchParams();
  const [initial] = useState(() => parseScenario(search));
  const [draft, setDraft] = useState(() => toDraft(initial));
  const scenario = useMemo(() => toScenario(draft), [draft]);
  const [loaded] = useState(scenario);

  useEffect(() => {
    // A URL update cancels a navigation that has started, such as a click right after loading.
    if (scenario === loaded) return;
    const timer = setTimeout(() => updateUrl(scenario), URL_UPDATE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [scenario, loaded]);

  function change(changes: Partial<Draft>): void {
    setDraft((before) => ({ ...before, ...changes }));
  }

  return { initial, draft, scenario, change };
}

const queryNames = ['traffic', 'limit', 'window', 'subwindows', 'load', 'windows', 'seed', 'at', 'preset'];

/** Writes the scenario to the URL and keeps other parameters, such as the language. */
function updateUrl(scenario: Scenario): void {
  const query = new URLSearchParams(window.location.search);
  for (const name of queryNames) query.delete(name);
  for (const [name, value] of encodeScenario(scenario)) query.set(name, value);
  if (`?${query}` !== window.location.search) window.history.replaceState(null, '', `?${query}`);
}
