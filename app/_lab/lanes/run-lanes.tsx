import { Check, Clock, X } from 'lucide-react';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { useDurations, usePeriod } from '../../_i18n/use-durations';
import { Terms } from '../details';
import { LimitBadge } from '../experiment';
import { useLabNumbers } from '../numbers';
import { algorithms, getInstantState, listTimes } from '../runs';
import { getSpanMs, type Scenario } from '../scenario';
import type { Algorithm, DecidedCall, DrawnRun } from '../types';
import { LaneMarks, Playhead, WorstBand } from './lane-marks';
import styles from './lanes.module.css';
import { Scrubber } from './scrubber';

interface Props {
  scenario: Scenario;
  arrivals: readonly number[];
  /** `undefined` before the first run. */
  runs: readonly DrawnRun[] | undefined;
  /** The selected time. */
  at: number;
  onSelect(at: number): void;
  /** The control of the sliding counter, below its result. */
  counterControl: ReactNode;
}

/** The calls of a scenario on a time line, with one lane for each algorithm. */
export function RunLanes({ scenario, arrivals, runs, at, onSelect, counterControl }: Props) {
  const t = useTranslations('lab');
  const { length } = useDurations();
  const formatPeriod = usePeriod();
  const { limit, windowMs } = scenario;

  return (
    <section aria-labelledby="lanes">
      <Panel>
        <div className={styles.top}>
          <h2 id="lanes" className={layout.title}>
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
          <Scrubber
            arrivals={arrivals}
            spanMs={getSpanMs(scenario)}
            windowMs={windowMs}
            at={at}
            onChange={onSelect}
          />
          <ul>
            {algorithms.map((algorithm) => (
              <RunLane
                key={algorithm}
                algorithm={algorithm}
                scenario={scenario}
                arrivals={arrivals}
                run={runs?.find((one) => one.algorithm === algorithm)}
                at={at}
                control={algorithm === 'sliding-counter' && counterControl}
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
  scenario: Scenario;
  arrivals: readonly number[];
  /** `undefined` before the first run. */
  run: DrawnRun | undefined;
  /** The selected time. */
  at: number;
  control: ReactNode;
}

/** More starts would merge into one thick line. */
const MAX_DRAWN_STARTS = 150;

/** The decisions of one algorithm. */
function RunLane({ algorithm, scenario, arrivals, run, at, control }: RunLaneProps) {
  const t = useTranslations('lab');
  const { limit, windowMs } = scenario;
  const spanMs = getSpanMs(scenario);

  // The drawing does not depend on the selected time.
  const drawing = useMemo(() => {
    const decisions = run?.decisions ?? [];
    const admitted = decisions.filter(({ allowed }) => allowed);
    const areQueued = admitted.some(({ delayMs }) => delayMs > 0) && admitted.length <= MAX_DRAWN_STARTS;
    return (
      <LaneMarks
        spanMs={spanMs}
        windowMs={windowMs}
        above={run ? listTimes(decisions, true) : arrivals}
        isWaiting={!run}
        below={listTimes(decisions, false)}
        strokes={areQueued ? admitted.map(({ at, delayMs }) => at + delayMs) : undefined}
        comparedWith={arrivals}
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
    );
  }, [spanMs, windowMs, limit, arrivals, run]);

  return (
    <li className={styles.row}>
      <div className={styles.rowHead}>
        <h3 className={styles.name}>{t(`algorithm.${algorithm}`)}</h3>
        {run && <LimitBadge count={run.worstWindow} limit={limit} />}
        <p className={classNames(layout.hint, layout.figures, styles.tally)}>
          {run ? t('lanes.tally', { admitted: run.admitted, refused: run.refused }) : t('lanes.notRun')}
        </p>
        {control}
      </div>
      <div className={styles.rowLane}>
        {drawing}
        <Playhead share={at / spanMs} />
        <InstantNote run={run} limit={limit} windowMs={windowMs} at={at}>
          {algorithm === 'fixed-window' && run && run.worstWindow > limit && (
            <EdgeCause run={run} windowMs={windowMs} />
          )}
        </InstantNote>
      </div>
    </li>
  );
}

/** States why a fixed window exceeds its limit: the count restarts within the fullest window. */
function EdgeCause({ run, windowMs }: { run: DrawnRun; windowMs: number }) {
  const t = useTranslations('lab.lanes');
  const { tick } = useLabNumbers();
  const endsAt = run.worstWindowEndsAt ?? 0;
  const edge = Math.floor(endsAt / windowMs) * windowMs;
  const after = listTimes(run.decisions, true).filter((at) => at >= edge && at <= endsAt).length;
  return (
    <span>
      {t.rich('edgeCause', {
        before: run.worstWindow - after,
        after,
        edge: tick(edge),
        mistake: (text) => (
          <Link prefetch={false} href="/lab?section=mistakes&card=double-burst">
            {text}
          </Link>
        ),
      })}
    </span>
  );
}

interface NoteProps {
  /** `undefined` before the first run. */
  run: DrawnRun | undefined;
  limit: number;
  windowMs: number;
  /** The selected time. */
  at: number;
  /** Replaces the latest decision at the end of the run. */
  children: ReactNode;
}

/** The state of an algorithm at the selected time, with its latest decision. */
function InstantNote({ run, limit, windowMs, at, children }: NoteProps) {
  const t = useTranslations('lab.instant');
  const { length } = useDurations();
  const state = run && getInstantState({ decisions: run.decisions, windowMs }, at);
  return (
    <p className={classNames(layout.hint, layout.figures, styles.note)}>
      {state && (
        <>
          <span className={styles.noteCount}>
            {t('inWindow', { count: state.inWindow, window: length(windowMs) })}
          </span>
          {(state.last === run.decisions.at(-1) && children) ||
            (state.last && <LastCall call={state.last} isBelowLimit={state.inWindow < limit} />)}
          {state.queued > 0 && <span>{t('queued', { count: state.queued })}</span>}
        </>
      )}
    </p>
  );
}

interface LastCallProps {
  call: DecidedCall;
  /** The last window admitted less than the limit, which alone does not explain a refusal. */
  isBelowLimit: boolean;
}

function LastCall({ call, isBelowLimit }: LastCallProps) {
  const t = useTranslations('lab.instant');
  const { time } = useLabNumbers();
  const { allowed, delayMs, remaining, retryAfterMs } = call;
  const at = time(call.at);
  if (!allowed) {
    return (
      <span className={styles.lastRefused}>
        <X size={14} aria-hidden="true" />
        {t(isBelowLimit ? 'refusedByCount' : 'refused', { at, wait: time(retryAfterMs) })}
      </span>
    );
  }
  const Icon = delayMs > 0 ? Clock : Check;
  return (
    <span className={styles.lastAdmitted}>
      <Icon size={14} aria-hidden="true" />
      {delayMs > 0 ? t('delayed', { at, wait: time(delayMs) }) : t('admitted', { at, remaining })}
    </span>
  );
}

/** The legend of the lanes. */
function LaneLegend({ windowLength }: { windowLength: string }) {
  const t = useTranslations('lab.legend');
  return (
    <ul className={classNames(layout.hint, styles.legend)}>
      <Mark means={t('admitted')}>
        <path className={styles.above} d="M2 2h8v8h-8z" />
      </Mark>
      <Mark means={t('refused')}>
        <path className={styles.below} d="M2.5 2.5h7v7h-7z" />
      </Mark>
      <Mark means={t('start')}>
        <path className={styles.stroke} d="M3 1v10M9 1v10" />
      </Mark>
      <Mark means={t('worst', { window: windowLength })}>
        <path className={styles.keyBand} d="M0 0h12v12h-12z" />
        <path className={styles.keyBrim} d="M0 1h12" />
      </Mark>
      <Mark means={t('over')}>
        <g className={styles.keyOver}>
          <path className={styles.keyBand} d="M0 0h12v12h-12z" />
          <path className={styles.keyBrim} d="M0 1h12" />
        </g>
      </Mark>
      <Mark means={t('edge')}>
        <path className={styles.keyEdge} d="M6 0v12" />
      </Mark>
    </ul>
  );
}

function Mark({ means, children }: { means: string; children: ReactNode }) {
  return (
    <li className={layout.inline2}>
      <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
        {children}
      </svg>
      {means}
    </li>
  );
}
