import styles from './chart.module.css';
import type { ChartModel, ChartSeries } from './chart-model';
import { chartDashes } from './chart-model';
import { chartTones } from './chart-tones';
import { classNames } from './class-names';
import { roundToTenth } from './round-to-tenth';

/** The coordinates of the drawing, which stretches to its frame. */
const SIZE = 100;
/** Room above the highest value, as on the canvas, so that a line at the limit is not on the frame. */
const HEADROOM = 1.1;

interface Props {
  model: Pick<ChartModel, 'x' | 'xRange' | 'series' | 'references'>;
}

/** The lines of a chart without axes, until its canvas has loaded. Also for paper and for pictures of the whole page. */
export function ChartSketch({ model: { x, xRange, series, references } }: Props) {
  const [from = 0, to = 1] = xRange ?? [x[0], x.at(-1)];
  const highest = Math.max(
    1,
    ...references.map(({ value }) => value),
    ...series.flatMap(({ values }) => values.map((value) => value ?? 0)),
  );
  const top = HEADROOM * highest;
  const toX = (at: number) => roundToTenth(((at - from) / Math.max(1, to - from)) * SIZE);
  const toY = (value: number) => roundToTenth(SIZE - (value / top) * SIZE);

  return (
    <svg
      aria-hidden="true"
      className={styles.sketch}
      viewBox={`0 0 ${SIZE} ${SIZE}`}
      preserveAspectRatio="none"
    >
      {references.map(({ value, label }) => (
        <path key={label} className={styles.reference} d={`M0 ${toY(value)}h${SIZE}`} />
      ))}
      {series.map((one, index) => (
        <path
          key={one.label}
          className={classNames(styles.line, chartTones[one.tone])}
          strokeDasharray={chartDashes[index % chartDashes.length]?.join(' ')}
          d={drawLine(one, { x, toX, toY })}
        />
      ))}
    </svg>
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
