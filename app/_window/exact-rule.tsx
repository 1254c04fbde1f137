import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import LiveLimits from './live-limits';
import { useEnforcedLevels } from './use-enforced-levels';
import { isAlgorithm } from './window-count';
import styles from './windows-panel.module.css';

/** An expandable text with the exact limits of grabbing or claiming, and how each of their algorithms counts. */
export function ExactRule({
  kind,
  rendered,
}: {
  kind: 'seckill' | 'claim';
  /** The limits when the server rendered the page. */
  rendered: readonly PolicyLevel[];
}) {
  const t = useTranslations('windows');
  const levels = useEnforcedLevels(`coupon.${kind}`, rendered);
  const algorithms = new Set(levels.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return (
    <details className={styles.how}>
      <summary>{t('how')}</summary>
      <p>
        <LiveLimits kind={kind} rendered={rendered} />
      </p>
      {[...algorithms].map((algorithm) => (
        <p key={algorithm}>{t(`howText.${algorithm}`)}</p>
      ))}
    </details>
  );
}
