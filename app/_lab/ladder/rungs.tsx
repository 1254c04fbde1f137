import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import { useDurations } from '../../_i18n/use-durations';
import { type LadderState, ladderPolicy } from './ladder';
import styles from './rungs.module.css';

/** The rungs, with the ban at the top and the visitor's position. */
export function Rungs({ state }: { state: LadderState }) {
  const t = useTranslations('lab.ladder');
  const { length } = useDurations();
  const { banAt, banMs } = ladderPolicy;
  const rungs = Array.from({ length: banAt + 1 }, (_, violations) => banAt - violations);
  return (
    <ol className={styles.rungs} aria-label={t('rungs')} reversed start={banAt}>
      {rungs.map((violations) => (
        <li
          key={violations}
          className={classNames(styles.rung, styles[getRungKind(violations)])}
          aria-current={violations === state.violations ? 'step' : undefined}
        >
          <span className={styles.number}>{violations}</span>
          <span>{t(`rung.${getRungKind(violations)}`, { time: length(banMs) })}</span>
          {violations === state.violations && <span className={styles.you}>{t('you')}</span>}
        </li>
      ))}
    </ol>
  );
}

function getRungKind(violations: number): 'free' | 'noted' | 'warned' | 'banned' {
  if (violations === 0) return 'free';
  if (violations >= ladderPolicy.banAt) return 'banned';
  return violations >= ladderPolicy.warnAt ? 'warned' : 'noted';
}
