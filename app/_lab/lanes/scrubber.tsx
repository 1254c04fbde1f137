import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type KeyboardEvent, useMemo } from 'react';
import { Button } from '../../_components/ui/button';
import { useLabNumbers } from '../use-lab-numbers';
import { LaneMarks } from './lane-marks';
import { Playhead } from './playhead';
import styles from './scrubber.module.css';
import { placeAfter } from './window-counts';

interface Props {
  /** Ascending. */
  arrivals: readonly number[];
  spanMs: number;
  windowMs: number;
  at: number;
  onChange(at: number): void;
}

/** Goes through time: by pointer freely, by arrow keys and buttons from call to call. */
export function Scrubber({ arrivals, spanMs, windowMs, at, onChange }: Props) {
  const t = useTranslations('lab.scrubber');
  const { time, tick } = useLabNumbers();
  const instants = useMemo(() => [...new Set(arrivals)], [arrivals]);
  const before = instants[placeAfter(instants, at - 1) - 1];
  const after = instants[placeAfter(instants, at)];
  const come = placeAfter(arrivals, at);

  function step(event: KeyboardEvent): void {
    const goal = { ArrowLeft: before ?? 0, ArrowRight: after ?? spanMs }[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    onChange(goal);
  }

  return (
    <div className={styles.scrubber}>
      <div className={styles.head}>
        <span className={styles.at}>
          {t('at', { time: time(at) })}
          <span className={styles.come}>{t('come', { count: come, total: arrivals.length })}</span>
        </span>
        <span className={styles.steps}>
          <Button
            variant="quiet"
            closed={before === undefined}
            aria-label={t('before')}
            onClick={() => before !== undefined && onChange(before)}
          >
            <ChevronLeft size={18} aria-hidden="true" />
          </Button>
          <Button
            variant="quiet"
            closed={after === undefined}
            aria-label={t('after')}
            onClick={() => after !== undefined && onChange(after)}
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
          aria-valuetext={`${time(at)}, ${t('come', { count: come, total: arrivals.length })}`}
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
