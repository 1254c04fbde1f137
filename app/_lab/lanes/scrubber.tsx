import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type KeyboardEvent, useMemo } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { useLabNumbers } from '../numbers';
import { findIndexAfter } from '../runs';
import { LaneMarks, Playhead } from './lane-marks';
import styles from './lanes.module.css';

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
  const arrived = t('arrived', { count: findIndexAfter(arrivals, at), total: arrivals.length });

  function step(event: KeyboardEvent): void {
    const target = { ArrowLeft: previous ?? 0, ArrowRight: next ?? spanMs }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onChange(target);
  }

  function renderStep(label: string, Icon: LucideIcon, to: number | undefined) {
    return (
      <Button closed={to === undefined} aria-label={label} onClick={() => to !== undefined && onChange(to)}>
        <Icon size={18} aria-hidden="true" />
      </Button>
    );
  }

  return (
    <div className={styles.scrubber}>
      <div className={styles.scrubberHead}>
        <span className={styles.at}>{t('at', { time: time(at) })}</span>
        <span className={classNames(layout.hint, styles.arrived)}>{arrived}</span>
        <span className={styles.steps}>
          {renderStep(t('previous'), ChevronLeft, previous)}
          {renderStep(t('next'), ChevronRight, next)}
        </span>
      </div>
      <div className={styles.scrubberLane}>
        <div className={styles.marks}>
          <LaneMarks spanMs={spanMs} windowMs={windowMs} above={arrivals} />
          <Playhead share={at / spanMs} />
        </div>
        <input
          type="range"
          className={styles.range}
          aria-label={t('label')}
          aria-valuetext={`${time(at)}, ${arrived}`}
          min={0}
          max={spanMs}
          step={1}
          value={at}
          onKeyDown={step}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
        <div
          className={classNames(layout.hint, layout.figures, layout.line2, layout.apart)}
          aria-hidden="true"
        >
          {[0, 0.5, 1].map((share) => (
            <span key={share}>{tick(spanMs * share)}</span>
          ))}
        </div>
      </div>
    </div>
  );
}
