import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import SaleLimits from './sale-limits';
import { isAlgorithm } from './window-count';
import styles from './windows-panel.module.css';

interface Props {
  kind: 'seckill' | 'claim';
  /** The enforced levels of the policy. */
  levels: readonly PolicyLevel[];
}

/** An expandable sentence with the exact limits of a policy, and how each of its algorithms counts. */
export function ExactRule({ kind, levels }: Props) {
  const t = useTranslations('windows');
  const algorithms = new Set(levels.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return (
    <details className={styles.how}>
      <summary>{t('how')}</summary>
      <p>
        <SaleLimits kind={kind} levels={levels} />
      </p>
      {[...algorithms].map((algorithm) => (
        <p key={algorithm}>{t(`howText.${algorithm}`)}</p>
      ))}
    </details>
  );
}
