import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Algorithm, AlgorithmRun } from '../types';
import { InstantNote } from './instant-note';
import { getInstantState } from './instant-state';
import { LaneMarks } from './lane-marks';
import { LimitBadge } from './limit-badge';
import { Playhead } from './playhead';
import styles from './run-lane.module.css';
import { WorstBand } from './worst-band';

interface Props {
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  spanMs: number;
  arrivals: readonly number[];
  /** `undefined` before the first run. */
  run: AlgorithmRun | undefined;
  /** The selected time. */
  at: number;
}

/** The decisions of one algorithm. */
export function RunLane({ algorithm, limit, windowMs, spanMs, arrivals, run, at }: Props) {
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
            count={run.worstWindow}
            limit={limit}
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
      </div>
      <div className={styles.lane}>
        {drawing}
        <Playhead share={at / spanMs} />
        <InstantNote state={state} limit={limit} />
      </div>
    </li>
  );
}

const noTimes: readonly number[] = [];

/** More starts would merge into one thick line. */
const MAX_DRAWN_STARTS = 150;

function splitCalls(run: AlgorithmRun | undefined) {
  if (!run) return { admitted: noTimes, refused: noTimes, starts: undefined };
  const admitted = run.decisions.filter(({ allowed }) => allowed);
  const areQueued = admitted.some(({ delayMs }) => delayMs > 0) && admitted.length <= MAX_DRAWN_STARTS;
  return {
    admitted: admitted.map(({ at }) => at),
    refused: run.decisions.filter(({ allowed }) => !allowed).map(({ at }) => at),
    starts: areQueued ? admitted.map(({ at, delayMs }) => at + delayMs) : undefined,
  };
}
