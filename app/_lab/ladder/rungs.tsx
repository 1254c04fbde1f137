import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import { useDurations } from '../../_i18n/use-durations';
import { ladderRule, type Standing } from './ladder';
import styles from './rungs.module.css';

/** The ladder, the ban at its top, and where the visitor stands. */
export function Rungs({ standing }: { standing: Standing }) {
  const t = useTranslations('lab.ladder');
  const { length } = useDurations();
  const { banAt, banMs } = ladderRule;
  const rungs = Array.from({ length: banAt + 1 }, (_, violations) => banAt - violations);
  return (
    <ol className={styles.rungs} aria-label={t('rungs')} reversed start={banAt}>
      {rungs.map((violations) => (
        <li
          key={violations}
          className={classNames(styles.rung, styles[kindOf(violations)])}
          aria-current={violations === standing.violations ? 'step' : undefined}
        >
          <span className={styles.number}>{violations}</span>
          <span>{t(`rung.${kindOf(violations)}`, { time: length(banMs) })}</span>
          {violations === standing.violations && <span className={styles.you}>{t('you')}</span>}
        </li>
      ))}
    </ol>
  );
}

function kindOf(violations: number): 'free' | 'noted' | 'warned' | 'banned' {
  if (violations === 0) return 'free';
  if (violations >= ladderRule.banAt) return 'banned';
  return violations >= ladderRule.warnAt ? 'warned' : 'noted';
}
