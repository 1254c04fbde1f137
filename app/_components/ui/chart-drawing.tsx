import { memo, type PointerEvent } from 'react';
import { roundToTenth } from '../../_i18n/numbers';
import styles from './chart.module.css';
import { createCountAxis } from './chart-ticks';
import { classNames } from './class-names';

/**
 * Names of colour tokens in globals.css. Each series also has its own dash pattern, because colour alone does not
 * suffice.
 */
export type ChartTone = 'accent' | 'wait' | 'fail' | 'good' | 'ink' | 'ink-soft';

export interface ChartSeries {
  label: string;
  tone: ChartTone;
  /** One per `x`, each until the next one; null leaves a gap. */
  values: readonly (number | null)[];
  /** Stays visible below a later series with the same values. Default: false. */
  isWide?: boolean;
}

/** The data of a chart. */
export interface ChartData {
  /** Ascending, in ms. */
  x: readonly number[];
  /** At most five. */
  series: readonly ChartSeries[];
  /** A horizontal line. Default: none. */
  reference?: { value: number; label: string };
  /** CSS pixels, axes included. */
  height: number;
  formatX(x: number): string;
  formatY(value: number): string;
}

interface Props extends ChartData {
  /** The range of the axis. */
  from: number;
  to: number;
  /** The labels of the axis. */
  times: readonly number[];
  /** A vertical line, and the index of the values that it marks. */
  cursor: { at: number; index: number } | undefined;
  /** Called with the time under the pointer; `undefined` when the pointer leaves. */
  onPoint(time: number | undefined): void;
}

/** The coordinates of the lines, which stretch to their frame. */
const SIZE = 1_000;

/** Draws the axes and the lines of a chart. */
export function ChartDrawing({ from, to, times, cursor, onPoint, ...data }: Props) {
  const { x, series, reference, height, formatX, formatY } = data;
  const highest = Math.max(1, reference?.value ?? 0, ...series.map(({ values }) => highestOf(values)));
  const { top, ticks } = createCountAxis(highest, { height });
  const { toX, toY } = createScale({ from, to, top });
  const percent = (coordinate: number) => `${coordinate / (SIZE / 100)}%`;

  function point({ clientX, currentTarget }: PointerEvent): void {
    const { left, width } = currentTarget.getBoundingClientRect();
    onPoint(from + ((clientX - left) / width) * (to - from));
  }

  return (
    <div aria-hidden="true" className={styles.drawing} style={{ height }}>
      <div className={styles.rows}>
        {/* The column is as wide as its longest label. The labels themselves take no space. */}
        {ticks.map((value) => (
          <span key={value} className={styles.row}>
            <span className={styles.rowLabel} style={{ top: percent(toY(value)) }}>
              {formatY(value)}
            </span>
            {formatY(value)}
          </span>
        ))}
      </div>
      <div className={styles.plot} onPointerMove={point} onPointerLeave={() => onPoint(undefined)}>
        <svg
          aria-hidden="true"
          className={styles.lines}
          viewBox={`0 0 ${SIZE} ${SIZE}`}
          preserveAspectRatio="none"
        >
          <path
            className={styles.grid}
            d={[
              ...times.map((time) => `M${toX(time)} 0V${SIZE}`),
              ...ticks.map((value) => `M0 ${toY(value)}H${SIZE}`),
            ].join('')}
          />
          {reference && <path className={styles.reference} d={`M0 ${toY(reference.value)}H${SIZE}`} />}
          <Lines {...{ x, series, from, to, top }} />
          {cursor && <path className={styles.reference} d={`M${toX(cursor.at)} 0V${SIZE}`} />}
          {cursor &&
            series.map((one) => (
              <path
                key={one.label}
                className={styles.point}
                stroke={`var(--${one.tone})`}
                // A path without a length, which round ends make a dot.
                d={`M${toX(cursor.at)} ${toY(one.values[cursor.index] ?? 0)}h0`}
              />
            ))}
        </svg>
        {reference && (
          <span className={styles.referenceLabel} style={{ top: percent(toY(reference.value)) }}>
            {reference.label}
          </span>
        )}
        {times.map((time) => (
          <span key={time} className={styles.columnLabel} style={{ left: percent(toX(time)) }}>
            {formatX(time)}
          </span>
        ))}
      </div>
    </div>
  );
}

function highestOf(values: ChartSeries['values']): number {
  return values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
}

/** The range of both axes; the vertical one begins at 0. */
interface Range {
  from: number;
  to: number;
  top: number;
}

function createScale({ from, to, top }: Range): Record<'toX' | 'toY', (value: number) => number> {
  return {
    toX: (time) => roundToTenth(((time - from) / Math.max(1, to - from)) * SIZE),
    toY: (value) => roundToTenth((1 - value / top) * SIZE),
  };
}

type LinesProps = Pick<ChartData, 'x' | 'series'> & Range;

/** Draws all lines. A run of the lab has thousands of values, which a moved cursor does not draw again. */
const Lines = memo(function Lines({ x, series, ...range }: LinesProps) {
  const scale = createScale(range);
  return series.map((one, index) => (
    <ChartLine key={one.label} series={one} index={index} d={drawSteps(one.values, { x, ...scale })} />
  ));
});

/** Returns the path of values that each hold until the next one. Missing values are gaps. */
function drawSteps(
  values: ChartSeries['values'],
  { x, toX, toY }: Pick<ChartData, 'x'> & ReturnType<typeof createScale>,
): string {
  return values
    .map((value, index) => {
      const before = values[index - 1];
      if (value === null || (value === before && value === values[index + 1])) return '';
      const [left, height] = [toX(x[index] ?? 0), toY(value)];
      return typeof before === 'number' ? `H${left}V${height}` : `M${left} ${height}`;
    })
    .join('');
}

/** The dash pattern of the nth series, in CSS pixels. */
const dashes = [undefined, '7 4', '2 3', '9 3 2 3', '14 4'];

/** Draws the line of the nth series, also for the legend. */
export function ChartLine({ series, index, d }: { series: ChartSeries; index: number; d: string }) {
  return (
    <path
      className={classNames(styles.line, series.isWide && styles.wide)}
      stroke={`var(--${series.tone})`}
      strokeDasharray={dashes[index % dashes.length]}
      d={d}
    />
  );
}
