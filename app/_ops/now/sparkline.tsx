import { useTranslations } from 'next-intl';
import { formatRate } from '../formats';
import { BARS, type Spark, sumOf } from './activity';
import styles from './now.module.css';

const HEIGHT = 24;
/** The smallest bar that can be seen. */
const MIN_BAR = 1.5;

interface Props extends Spark {
  /** Calls in the busiest second. Show it next to the drawing, whose highest bar fills its container. */
  peakPerSecond: number;
}

/** Draws the decisions of ten minutes: admitted ones, and refused ones on top. */
export function Sparkline({ admitted, refused, peakPerSecond }: Props) {
  const t = useTranslations('opsNow.spark');
  const top = Math.max(1, ...admitted.map((count, bar) => count + (refused[bar] ?? 0)));
  const scale = (count: number) => (count > 0 ? Math.max(MIN_BAR, (count / top) * HEIGHT) : 0);
  const label = t('summary', {
    ...{ admitted: sumOf(admitted), refused: sumOf(refused) },
    peak: formatRate(peakPerSecond),
  });
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles.bars}
      viewBox={`0 0 ${BARS} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path
        className={styles.admittedBars}
        d={admitted.map((count, bar) => barAt(bar, 0, scale(count))).join('')}
      />
      <path
        className={styles.refusedBars}
        d={refused.map((count, bar) => barAt(bar, scale(admitted[bar] ?? 0), scale(count))).join('')}
      />
    </svg>
  );
}

/** Returns the path of a bar; '' for an empty one. */
function barAt(bar: number, bottom: number, height: number): string {
  return height > 0 ? `M${bar} ${HEIGHT - bottom}v${-height}h.8v${height}z` : '';
}
