import { roundToTenth } from '../../_i18n/numbers';
import styles from './chart.module.css';
import type { ChartModel, ChartSeries } from './chart-model';
import { chartDashes, highestOf, widestLabel } from './chart-model';
import { createCountAxis, listTicks } from './chart-ticks';
import { chartTones } from './chart-tones';
import { classNames } from './class-names';

/** The coordinates of the drawing, which stretches to its frame. */
const SIZE = 100;

interface Props {
  model: Pick<
    ChartModel,
    'x' | 'xRange' | 'series' | 'references' | 'highestInColumn' | 'height' | 'formatX' | 'formatY'
  >;
}

/** Intervals of the horizontal axis that fit on a phone. */
const MAX_INTERVALS = 4;

/** The lines and axes of a chart until its canvas has loaded. Also for paper and for pictures of the whole page. */
export function ChartSketch({ model }: Props) {
  const { x, xRange, series, references, formatX, formatY } = model;
  const [from = 0, to = 1] = xRange ?? [x[0], x.at(-1)];
  const { top, ticks } = createCountAxis(highestOf(model), model);
  const toX = (at: number) => roundToTenth(((at - from) / Math.max(1, to - from)) * SIZE);
  const toY = (value: number) => roundToTenth(SIZE - (value / top) * SIZE);
  const xTicks = listTicks(from, to, MAX_INTERVALS).map((at) => ({ at: toX(at), text: formatX(at) }));
  const yTicks = ticks.map((value) => ({ at: toY(value), text: formatY(value) }));

  return (
    <div aria-hidden="true" className={styles.sketch}>
      <div className={styles.rows}>
        {/* The column is as wide as its longest label. The labels themselves take no space. */}
        {yTicks.map(({ at, text }) => (
          <span key={at} className={styles.row}>
            <span className={styles.rowLabel} style={{ top: `${at}%` }}>
              {text}
            </span>
            {text}
          </span>
        ))}
        <span className={styles.row}>{widestLabel(model)}</span>
      </div>
      <div className={styles.plot}>
        <svg
          aria-hidden="true"
          className={styles.lines}
          viewBox={`0 0 ${SIZE} ${SIZE}`}
          preserveAspectRatio="none"
        >
          <path
            className={styles.grid}
            d={[
              ...xTicks.map(({ at }) => `M${at} 0V${SIZE}`),
              ...yTicks.map(({ at }) => `M0 ${at}H${SIZE}`),
            ].join('')}
          />
          {references.map(({ value, label }) => (
            <path key={label} className={styles.reference} d={`M0 ${toY(value)}h${SIZE}`} />
          ))}
          {series.map((one, index) => (
            <path
              key={one.label}
              className={classNames(styles.line, one.isWide && styles.wide, chartTones[one.tone])}
              strokeDasharray={chartDashes[index % chartDashes.length]?.join(' ')}
              d={drawLine(one, { x, toX, toY })}
            />
          ))}
        </svg>
        {references.map(({ value, label }) => (
          <span key={label} className={styles.referenceLabel} style={{ bottom: `${SIZE - toY(value)}%` }}>
            {label}
          </span>
        ))}
        {xTicks.map(({ at, text }) => (
          <span key={at} className={styles.columnLabel} style={{ left: `${at}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

interface Scale {
  x: readonly number[];
  toX(at: number): number;
  toY(value: number): number;
}

/** Draws a series as one SVG path. Missing values are gaps, and a bar is a line from the bottom. */
function drawLine({ values, kind = 'line' }: ChartSeries, { x, toX, toY }: Scale): string {
  let isGap = true;
  return values
    .map((value, index) => {
      const wasGap = isGap;
      isGap = value === null;
      if (value === null) return '';
      const [left, height] = [toX(x[index] ?? 0), toY(value)];
      if (kind === 'bars') return `M${left} ${SIZE}V${height}`;
      if (wasGap) return `M${left} ${height}`;
      return kind === 'step' ? `H${left}V${height}` : `L${left} ${height}`;
    })
    .join('');
}
