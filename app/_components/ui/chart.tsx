'use client';

import { type KeyboardEvent, useId, useState } from 'react';
import styles from './chart.module.css';
import { type ChartData, ChartDrawing, ChartLine, type ChartSeries } from './chart-drawing';
import { listTimes } from './chart-ticks';
import { classNames } from './class-names';
import layout from './layout.module.css';

interface Props extends ChartData {
  /** The accessible name. */
  label: string;
  /** The accessible description: one or two sentences. */
  summary: string;
  /** The range of the axis. Default: from the first to the last `x`. */
  xRange?: readonly [from: number, to: number];
  /** The time shown in the legend while nothing is selected, also between two `x`. Default: the last `x`. */
  at?: number;
  /** Names the selected `x` in the legend. Default: `formatX`. */
  formatSelected?: (x: number) => string;
  /** Names the last `x` in the legend while nothing is selected. Default: as when it is selected. */
  lastText?: string;
  /** Shown for a missing value. Default: a dash. */
  none?: string;
}

/**
 * Draws values over time, with a legend for the instant that the pointer or the arrow keys select. Screen readers also have a
 * table of the instants on the axis: one of all values could have hundreds of rows.
 */
export function Chart({ label, summary, xRange, at, formatSelected, lastText, none = '–', ...data }: Props) {
  const { x, series, formatX, formatY } = data;
  const id = useId();
  const [selected, setSelected] = useState<number>();
  const last = x.length - 1;
  const [from = 0, to = from] = xRange ?? [x[0], x[last]];
  const times = x.length > 0 ? listTimes(from, to) : [];
  // The data may be shorter than when the index was selected.
  const shown = selected === undefined ? indexAt(x, at ?? to) : Math.min(selected, last);
  const cursorAt = selected === undefined ? at : x[shown];
  const instant = cursorAt ?? x[shown];
  const instantText = instant === undefined ? none : (formatSelected ?? formatX)(instant);
  const isLast = cursorAt === undefined && lastText !== undefined;

  function textOf({ values }: ChartSeries, index: number): string {
    const value = values[index];
    return value === null || value === undefined ? none : formatY(value);
  }

  function selectByKey(event: KeyboardEvent): void {
    const index = nextIndex({ key: event.key, from: shown, last });
    if (index === undefined) return;
    event.preventDefault();
    setSelected(index);
  }

  return (
    <figure
      className={classNames(layout.stack2, layout.top, styles.chart)}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-summary`}
    >
      <figcaption className={layout.visuallyHidden}>
        <span id={`${id}-label`}>{label}</span> <span id={`${id}-summary`}>{summary}</span>
      </figcaption>
      <div
        role="slider"
        tabIndex={0}
        className={styles.frame}
        aria-labelledby={`${id}-label`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown}
        aria-valuetext={[instantText, ...series.map((one) => `${one.label} ${textOf(one, shown)}`)].join(
          ', ',
        )}
        onKeyDown={selectByKey}
        onBlur={() => setSelected(undefined)}
      >
        <ChartDrawing
          {...{ ...data, from, to, times }}
          cursor={cursorAt === undefined ? undefined : { at: cursorAt, index: shown }}
          onPoint={(time) => setSelected(time === undefined ? undefined : indexAt(x, time))}
        />
      </div>
      <ul
        className={classNames(layout.row4, layout.small, layout.soft, layout.figures, styles.legend)}
        aria-hidden="true"
      >
        <li className={styles.instant}>{isLast ? lastText : instantText}</li>
        {series.map((one, index) => (
          <li key={one.label} className={layout.inline2}>
            <svg aria-hidden="true" className={styles.key} viewBox="0 0 28 10">
              <ChartLine series={one} index={index} d="M0 5h28" />
            </svg>
            <span>{one.label}</span>
            <span className={styles.value}>{textOf(one, shown)}</span>
          </li>
        ))}
      </ul>
      <div className={layout.visuallyHidden}>
        <table aria-labelledby={`${id}-label`}>
          <thead>
            <tr>
              <td />
              {series.map((one) => (
                <th key={one.label} scope="col">
                  {one.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time) => (
              <tr key={time}>
                <th scope="row">{formatX(time)}</th>
                {series.map((one) => (
                  <td key={one.label}>{textOf(one, indexAt(x, time))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Returns the last index whose `x` is not after an instant; 0 before the first. */
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
