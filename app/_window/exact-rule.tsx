import { useTranslations } from 'next-intl';
import LiveLimits from './live-limits';
import { useEnforcedLevels } from './use-enforced-levels';
import { isAlgorithm } from './window-count';
import styles from './windows-panel.module.css';

/** An expandable text with the exact limits of grabbing or claiming, and how each of their algorithms counts. */
export function ExactRule({ kind }: { kind: 'seckill' | 'claim' }) {
  const t = useTranslations('windows');
  const levels = useEnforcedLevels(`coupon.${kind}`);
  const algorithms = new Set(levels.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return (
    <details className={styles.how}>
      <summary>{t('how')}</summary>
      <p>
        <LiveLimits kind={kind} />
      </p>
      {[...algorithms].map((algorithm) => (
        <p key={algorithm}>{t(`howText.${algorithm}`)}</p>
      ))}
    </details>
  );
}
