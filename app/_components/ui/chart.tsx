'use client';

import { type KeyboardEvent, lazy, Suspense, useId, useMemo, useRef, useState } from 'react';
import styles from './chart.module.css';
import { type ChartModel, type ChartReference, chartDashes } from './chart-model';
import { ChartSketch } from './chart-sketch';
import { chartTones } from './chart-tones';
import { classNames } from './class-names';
import layout from './layout.module.css';
import { useDrawn } from './use-drawn';

const ChartCanvas = lazy(() => import('./chart-canvas'));

interface Props extends Omit<ChartModel, 'references'> {
  /** The accessible name. */
  label: string;
  /** The accessible description: one or two sentences. */
  summary: string;
  /** Default: none. */
  references?: readonly ChartReference[];
  /** The time shown in the legend while nothing is selected, also between two `x`. Default: the last `x`. */
  at?: number;
  /** Names the selected `x` in the legend. Default: `formatX`. */
  formatSelected?: (x: number) => string;
  /** Names the last `x` in the legend while nothing is selected. Default: as when it is selected. */
  lastText?: string;
  /** Shown for a missing value. Default: a dash. */
  none?: string;
  /** New data arrives all the time. Out of view, the last drawing stays. Default: false. */
  isLive?: boolean;
}

const noReferences: readonly ChartReference[] = [];

/**
 * Draws values over time with a legend for the instant that the pointer or the arrow keys select. The canvas loads
 * when the chart is on screen or the browser is idle; a sketch with axes is there before. Keep the identity of functions and
 * lists, or the chart redraws at each render.
 */
export function Chart(props: Props) {
  const { label, summary, x, series, height, formatX, formatY, at, none = '–' } = props;
  const { formatSelected = formatX, isLive = false } = props;
  const { references = noReferences, xKind, xRange, highestInColumn, lastText } = props;
  const id = useId();
  const drawing = useRef<HTMLDivElement>(null);
  const { isDrawn, isOnScreen } = useDrawn(drawing);
  const [selected, setSelected] = useState<number>();
  const model = useMemo(
    () => ({ x, series, references, xKind, xRange, highestInColumn, height, formatX, formatY }),
    [x, series, references, xKind, xRange, highestInColumn, height, formatX, formatY],
  );
  const last = x.length - 1;
  const defaultIndex = at === undefined ? undefined : indexAt(x, at);
  // The data may be shorter than when the index was selected.
  const cursorIndex = selected === undefined ? defaultIndex : Math.min(selected, last);
  const shown = cursorIndex ?? last;
  const instant = selected === undefined && at !== undefined ? at : x[shown];
  const texts = series.map(({ values }) => {
    const value = values[shown];
    return value === null || value === undefined ? none : formatY(value);
  });

  function instantText(): string {
    if (lastText !== undefined && cursorIndex === undefined) return lastText;
    return instant === undefined ? none : formatSelected(instant);
  }

  function move(event: KeyboardEvent): void {
    const to = nextIndex({ key: event.key, from: shown, last });
    if (to === undefined) return;
    event.preventDefault();
    setSelected(to);
  }

  return (
    <figure className={styles.chart} aria-labelledby={`${id}-label`} aria-describedby={`${id}-summary`}>
      <figcaption className={layout.visuallyHidden}>
        <span id={`${id}-label`}>{label}</span> <span id={`${id}-summary`}>{summary}</span>
      </figcaption>
      <div
        ref={drawing}
        className={styles.drawing}
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-labelledby={`${id}-label`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={
          instant === undefined
            ? none
            : [formatSelected(instant), ...series.map((one, index) => `${one.label} ${texts[index]}`)].join(
                ', ',
              )
        }
        onKeyDown={move}
        onBlur={() => setSelected(undefined)}
      >
        {isDrawn ? (
          <Suspense fallback={<ChartSketch model={model} />}>
            <ChartCanvas
              model={model}
              cursor={cursorIndex === undefined ? undefined : instant}
              isPaused={isLive && !isOnScreen}
              onPoint={setSelected}
            />
          </Suspense>
        ) : (
          <ChartSketch model={model} />
        )}
      </div>
      <ul className={styles.legend} aria-hidden="true">
        <li className={styles.instant}>{instantText()}</li>
        {series.map((one, index) => (
          <li key={one.label} className={styles.item}>
            <svg
              aria-hidden="true"
              className={classNames(styles.key, chartTones[one.tone])}
              viewBox="0 0 28 10"
            >
              {one.kind === 'bars' ? (
                <path className={styles.bar} d="M8 0h12v10h-12z" />
              ) : (
                <path
                  className={classNames(styles.line, one.isWide && styles.wide)}
                  d="M0 5h28"
                  strokeDasharray={chartDashes[index % chartDashes.length]?.join(' ')}
                />
              )}
            </svg>
            <span>{one.label}</span>
            <span className={styles.value}>{texts[index]}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Returns the last index whose `x` is not after an instant. */
function indexAt(x: readonly number[], at: number): number {
  return Math.max(
    0,
    x.findLastIndex((one) => one <= at),
  );
}

function nextIndex({ key, from, last }: { key: string; from: number; last: number }): number | undefined {
  const page = Math.max(1, Math.round(last / 10));
  const steps: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageDown: from - page,
    PageUp: from + page,
    Home: 0,
    End: last,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.max(0, Math.min(last, to));
}
