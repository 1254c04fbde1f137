import { useTranslations } from 'next-intl';
import { peakPerSecond } from './count-activity';
import { useFormatRate } from './format-rate';
import type { LevelRow } from './level-activity';
import styles from './level-traffic.module.css';
import { Sparkline } from './sparkline';

/** Shows what a level admits and refuses per second: ten minutes as bars, their peak, and the last ten seconds as numbers. */
export function LevelTraffic({ row: { spark, admittedPerSecond, refusedPerSecond } }: { row: LevelRow }) {
  const t = useTranslations('opsNow.levels');
  const formatRate = useFormatRate();
  const peak = peakPerSecond(spark);
  return (
    <div className={styles.traffic}>
      <span className={styles.peak}>{peak > 0 && t('peak', { rate: formatRate(peak) })}</span>
      <div className={styles.spark}>
        <Sparkline {...spark} />
      </div>
      <span className={styles.rates}>
        <span>{t('admitted', { rate: formatRate(admittedPerSecond) })}</span>
        <span className={refusedPerSecond > 0 ? styles.refused : styles.none}>
          {t('refused', { rate: formatRate(refusedPerSecond) })}
        </span>
      </span>
    </div>
  );
}
