import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { Panel } from '../../_components/ui/page-parts';
import { useDurations, usePeriod } from '../../_i18n/use-durations';
import { algorithms } from '../compare/algorithms';
import { getSpanMs, type Scenario } from '../scenario';
import { Terms } from '../terms';
import type { Algorithm, DrawnRun } from '../types';
import { InstantNote } from './instant-note';
import { LaneMarks, Playhead, WorstBand } from './lane-marks';
import styles from './run-lanes.module.css';
import { Scrubber } from './scrubber';
import { LimitBadge } from './verdict-badge';
import { getInstantState } from './window-counts';

interface Props {
  scenario: Scenario;
  arrivals: readonly number[];
  /** `undefined` before the first run. */
  runs: readonly DrawnRun[] | undefined;
  /** The selected time. */
  at: number;
  onSelect(at: number): void;
  /** Controls of single algorithms, below their results. */
  controls?: Partial<Record<Algorithm, ReactNode>>;
}

/** The calls of a scenario on a time line, with one lane for each algorithm. */
export function RunLanes({ scenario, arrivals, runs, at, onSelect, controls }: Props) {
  const t = useTranslations('lab');
  const { length } = useDurations();
  const formatPeriod = usePeriod();
  const { limit, windowMs } = scenario;
  const spanMs = getSpanMs(scenario);

  return (
    <section aria-labelledby="lanes">
      <Panel>
        <div className={styles.top}>
          <h2 id="lanes" className={styles.title}>
            {t('lanes.title', { limit, window: formatPeriod(windowMs) })}
          </h2>
          <LaneLegend windowLength={length(windowMs)} />
          <div className={styles.counting}>
            <Terms
              title={t('counting.title')}
              terms={algorithms.map((id) => ({
                name: t(`algorithm.${id}`),
                means: t(`counting.text.${id}`),
              }))}
            />
          </div>
        </div>
        <div>
          <Scrubber arrivals={arrivals} spanMs={spanMs} windowMs={windowMs} at={at} onChange={onSelect} />
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
                control={controls?.[algorithm]}
              />
            ))}
          </ul>
        </div>
      </Panel>
    </section>
  );
}

interface RunLaneProps {
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  spanMs: number;
  arrivals: readonly number[];
  /** `undefined` before the first run. */
  run: DrawnRun | undefined;
  /** The selected time. */
  at: number;
  control: ReactNode;
}

/** The decisions of one algorithm. */
function RunLane({ algorithm, limit, windowMs, spanMs, arrivals, run, at, control }: RunLaneProps) {
  const t = useTranslations('lab');
  const { admitted, refused, starts } = useMemo(() => splitCalls(run), [run]);
  const state = run && getInstantState({ decisions: run.decisions, windowMs }, at);

  // The drawing does not depend on the selected time.
  const drawing = useMemo(
    () => (
      <LaneMarks
        spanMs={spanMs}
        windowMs={windowMs}
        above={run ? admitted : arrivals}
        isWaiting={!run}
        below={refused}
        strokes={starts}
        comparedWith={[arrivals]}
      >
        {run && run.worstWindowEndsAt !== null && (
          <WorstBand
            endsAt={run.worstWindowEndsAt}
            windowMs={windowMs}
            spanMs={spanMs}
            isOver={run.worstWindow > limit}
          />
        )}
      </LaneMarks>
    ),
    [spanMs, windowMs, limit, arrivals, run, admitted, refused, starts],
  );

  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <h3 className={styles.name}>{t(`algorithm.${algorithm}`)}</h3>
        {run ? (
          <>
            <LimitBadge count={run.worstWindow} limit={limit} />
            <p className={styles.tally}>
              {t('lanes.tally', { admitted: run.admitted, refused: run.refused })}
            </p>
          </>
        ) : (
          <p className={styles.tally}>{t('lanes.notRun')}</p>
        )}
        {control}
      </div>
      <div className={styles.lane}>
        {drawing}
        <Playhead share={at / spanMs} />
        <InstantNote state={state} limit={limit} windowMs={windowMs} />
      </div>
    </li>
  );
}

const noTimes: readonly number[] = [];

/** More starts would merge into one thick line. */
const MAX_DRAWN_STARTS = 150;

function splitCalls(run: DrawnRun | undefined) {
  if (!run) return { admitted: noTimes, refused: noTimes, starts: undefined };
  const admitted = run.decisions.filter(({ allowed }) => allowed);
  const areQueued = admitted.some(({ delayMs }) => delayMs > 0) && admitted.length <= MAX_DRAWN_STARTS;
  return {
    admitted: admitted.map(({ at }) => at),
    refused: run.decisions.filter(({ allowed }) => !allowed).map(({ at }) => at),
    starts: areQueued ? admitted.map(({ at, delayMs }) => at + delayMs) : undefined,
  };
}

/** The legend of the lanes. */
function LaneLegend({ windowLength }: { windowLength: string }) {
  const t = useTranslations('lab.legend');
  return (
    <ul className={styles.legend}>
      <Mark means={t('admitted')}>
        <path className={styles.admitted} d="M2 2h8v8h-8z" />
      </Mark>
      <Mark means={t('refused')}>
        <path className={styles.refused} d="M2.5 2.5h7v7h-7z" />
      </Mark>
      <Mark means={t('start')}>
        <path className={styles.start} d="M3 1v10M9 1v10" />
      </Mark>
      <Mark means={t('worst', { window: windowLength })}>
        <path className={styles.band} d="M0 0h12v12h-12z" />
        <path className={styles.brim} d="M0 1h12" />
      </Mark>
      <Mark means={t('over')}>
        <g className={styles.over}>
          <path className={styles.band} d="M0 0h12v12h-12z" />
          <path className={styles.brim} d="M0 1h12" />
        </g>
      </Mark>
      <Mark means={t('edge')}>
        <path className={styles.edge} d="M6 0v12" />
      </Mark>
    </ul>
  );
}

function Mark({ means, children }: { means: string; children: ReactNode }) {
  return (
    <li>
      <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
        {children}
      </svg>
      {means}
    </li>
  );
}
