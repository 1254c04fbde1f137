import { useTranslations } from 'next-intl';
import { useOpsStatus } from '../live/ops-feed-provider';
import { formatRate } from './format-rate';
import type { LevelRow } from './level-activity';
import styles from './level-traffic.module.css';
import { Sparkline } from './sparkline';

/**
 * Shows what a level admits and refuses per second: ten minutes as bars, their busiest second, and the average of the last
 * ten seconds.
 */
export function LevelTraffic({
  row: { spark, peakPerSecond, admittedPerSecond, refusedPerSecond },
}: {
  row: LevelRow;
}) {
  const t = useTranslations('opsNow.levels');
  const isKnown = useOpsStatus() === 'live';
  const rate = (perSecond: number) => (isKnown ? formatRate(perSecond) : '–');
  return (
    <div className={styles.traffic}>
      <span className={styles.peak}>
        {peakPerSecond > 0 && t('peak', { rate: formatRate(peakPerSecond) })}
      </span>
      <div className={styles.spark}>
        <Sparkline {...spark} peakPerSecond={peakPerSecond} />
      </div>
      <span className={styles.rates}>
        <span>{t('admitted', { rate: rate(admittedPerSecond) })}</span>
        <span className={isKnown && refusedPerSecond > 0 ? styles.refused : styles.none}>
          {t('refused', { rate: rate(refusedPerSecond) })}
        </span>
      </span>
    </div>
  );
}
