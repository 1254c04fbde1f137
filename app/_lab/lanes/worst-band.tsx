import { classNames } from '../../_components/ui/class-names';
import styles from './worst-band.module.css';

interface Props {
  /** End of the window. */
  endsAt: number;
  windowMs: number;
  spanMs: number;
  count: number;
  limit: number;
}

/** The fullest window of a lane, with its count and the limit. */
export function WorstBand({ endsAt, windowMs, spanMs, count, limit }: Props) {
  const from = Math.max(0, endsAt - windowMs) / spanMs;
  const to = Math.min(spanMs, endsAt) / spanMs;
  return (
    <div
      aria-hidden="true"
      className={classNames(styles.band, count > limit && styles.over)}
      style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
    >
      <span className={styles.count}>
        {count} / {limit}
      </span>
    </div>
  );
}
