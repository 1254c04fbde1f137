import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type KeyboardEvent, useMemo } from 'react';
import { Button } from '../../_components/ui/button';
import { useLabNumbers } from '../use-lab-numbers';
import { LaneMarks, Playhead } from './lane-marks';
import styles from './scrubber.module.css';
import { findIndexAfter } from './window-counts';

interface Props {
  /** Ascending. */
  arrivals: readonly number[];
  spanMs: number;
  windowMs: number;
  at: number;
  onChange(at: number): void;
}

/** Selects a time: freely by pointer, from call to call by arrow keys and buttons. */
export function Scrubber({ arrivals, spanMs, windowMs, at, onChange }: Props) {
  const t = useTranslations('lab.scrubber');
  const { time, tick } = useLabNumbers();
  const instants = useMemo(() => [...new Set(arrivals)], [arrivals]);
  const previous = instants[findIndexAfter(instants, at - 1) - 1];
  const next = instants[findIndexAfter(instants, at)];
  const arrived = findIndexAfter(arrivals, at);

  function step(event: KeyboardEvent): void {
    const target = { ArrowLeft: previous ?? 0, ArrowRight: next ?? spanMs }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onChange(target);
  }

  return (
    <div className={styles.scrubber}>
      <div className={styles.head}>
        <span className={styles.at}>{t('at', { time: time(at) })}</span>
        <span className={styles.arrived}>{t('arrived', { count: arrived, total: arrivals.length })}</span>
        <span className={styles.steps}>
          <Button
            closed={previous === undefined}
            aria-label={t('previous')}
            onClick={() => previous !== undefined && onChange(previous)}
          >
            <ChevronLeft size={18} aria-hidden="true" />
          </Button>
          <Button
            closed={next === undefined}
            aria-label={t('next')}
            onClick={() => next !== undefined && onChange(next)}
          >
            <ChevronRight size={18} aria-hidden="true" />
          </Button>
        </span>
      </div>
      <div className={styles.lane}>
        <div className={styles.marks}>
          <LaneMarks spanMs={spanMs} windowMs={windowMs} above={arrivals} />
          <Playhead share={at / spanMs} />
        </div>
        <input
          type="range"
          className={styles.range}
          aria-label={t('label')}
          aria-valuetext={`${time(at)}, ${t('arrived', { count: arrived, total: arrivals.length })}`}
          min={0}
          max={spanMs}
          step={1}
          value={at}
          onKeyDown={step}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
        <div className={styles.axis} aria-hidden="true">
          {[0, 0.5, 1].map((share) => (
            <span key={share}>{tick(spanMs * share)}</span>
          ))}
        </div>
      </div>
    </div>
  );
}
