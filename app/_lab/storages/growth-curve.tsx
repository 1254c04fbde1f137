import styles from './growth-curve.module.css';

const WIDTH = 96;
const HEIGHT = 28;
const INSET = 3;

interface Props {
  /** One value for each size of the log, ascending by size. */
  values: readonly number[];
  /** The top of the scale that all curves share. */
  max: number;
}

/** A small curve on a logarithmic scale from 1 to `max`. The cells next to it have its numbers. */
export function GrowthCurve({ values, max }: Props) {
  const points = values.map((value, index) => ({
    x: INSET + (index * (WIDTH - 2 * INSET)) / Math.max(1, values.length - 1),
    y: HEIGHT - INSET - (HEIGHT - 2 * INSET) * (Math.log(Math.max(1, value)) / Math.log(Math.max(2, max))),
  }));
  return (
    <svg className={styles.curve} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className={styles.base} d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      <polyline className={styles.line} points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(({ x, y }) => (
        <circle key={x} className={styles.point} cx={x} cy={y} r={2} />
      ))}
    </svg>
  );
}
