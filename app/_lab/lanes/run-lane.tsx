import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Algorithm, AlgorithmRun } from '../types';
import { LaneMarks } from './lane-marks';
import { LimitBadge } from './limit-badge';
import { momentOf } from './moment';
import { MomentNote } from './moment-note';
import { Playhead } from './playhead';
import styles from './run-lane.module.css';
import { WorstBand } from './worst-band';

interface Props {
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  spanMs: number;
  arrivals: readonly number[];
  /** `undefined` until it has been run. */
  run: AlgorithmRun | undefined;
  /** The instant that is looked at. */
  at: number;
}

/** What one algorithm made of the calls. */
export function RunLane({ algorithm, limit, windowMs, spanMs, arrivals, run, at }: Props) {
  const t = useTranslations('lab');
  const { admitted, refused, starts } = useMemo(() => splitCalls(run), [run]);
  const moment = run && momentOf({ decisions: run.decisions, windowMs }, at);

  // Going through time moves none of the calls.
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
        <MomentNote moment={moment} limit={limit} />
      </div>
    </li>
  );
}

const nothing: readonly number[] = [];

/** More starts than these would be one thick line. */
const mostStarts = 150;

function splitCalls(run: AlgorithmRun | undefined) {
  if (!run) return { admitted: nothing, refused: nothing, starts: undefined };
  const admitted = run.decisions.filter(({ allowed }) => allowed);
  const areQueued = admitted.some(({ delayMs }) => delayMs > 0) && admitted.length <= mostStarts;
  return {
    admitted: admitted.map(({ at }) => at),
    refused: run.decisions.filter(({ allowed }) => !allowed).map(({ at }) => at),
    starts: areQueued ? admitted.map(({ at, delayMs }) => at + delayMs) : undefined,
  };
}
