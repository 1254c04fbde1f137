import { useTranslations } from 'next-intl';
import type { Alert } from '../live/ops-event';
import styles from './alerts.module.css';

const HEIGHT = 24;
/** A short alert does not fill the drawing. */
const MIN_BARS = 10;

interface Props {
  alert: Pick<Alert, 'rule' | 'values' | 'threshold'>;
  /** Formats a value in words; '' for rules without a number. */
  formatValue(rule: string, value: number): string;
}

/**
 * Draws the value of an alert from the time it fired, with its threshold as a line; bars below it are pale. Shows the highest
 * value next to it.
 */
export function AlertCourse({ alert: { rule, values, threshold }, formatValue }: Props) {
  const t = useTranslations('opsAlerts.course');
  const [first = 0, last = 0, highest] = [values[0], values.at(-1), Math.max(threshold, ...values)];
  const [fired, most, newest] = [first, highest, last].map((value) => formatValue(rule, value));
  const yOf = (value: number) => HEIGHT * (1 - value / highest);
  const barsOf = (isHigh: boolean) =>
    values
      .map((value, bar) =>
        value >= threshold === isHigh ? `M${bar} ${HEIGHT}V${yOf(value)}h.8V${HEIGHT}z` : '',
      )
      .join('');
  return (
    <span className={styles.course}>
      <svg
        role="img"
        aria-label={most ? t('label', { fired: fired ?? '', most, newest: newest ?? '' }) : t('ofState')}
        className={styles.drawing}
        viewBox={`0 0 ${Math.max(values.length, MIN_BARS)} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path d={barsOf(true)} />
        <path className={styles.low} d={barsOf(false)} />
        <path className={styles.threshold} d={`M0 ${yOf(threshold)}h${Math.max(values.length, MIN_BARS)}`} />
      </svg>
      {most && t('most', { value: most })}
    </span>
  );
}
