import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import { useDurations } from '../../_i18n/use-durations';
import styles from './punishment-ladder.module.css';

interface Props {
  /** The violations that warn, and those that ban. */
  policy: { warnAt: number; banAt: number; banMs: number };
  /** The rung of the caller. `undefined` marks none. */
  violations: number | undefined;
  /** The name of that rung. */
  you: string;
}

/** The rungs of a punishment, with the ban at the top and the caller's position. */
export function Rungs({ policy: { warnAt, banAt, banMs }, violations: current, you }: Props) {
  const t = useTranslations('labLadder');
  const { length } = useDurations();
  const rungs = Array.from({ length: banAt + 1 }, (_, violations) => banAt - violations);

  function kindOf(violations: number): 'free' | 'noted' | 'warned' | 'banned' {
    if (violations === 0) return 'free';
    if (violations >= banAt) return 'banned';
    return violations >= warnAt ? 'warned' : 'noted';
  }

  return (
    <ol className={styles.rungs} aria-label={t('rungs')} reversed start={banAt}>
      {rungs.map((violations) => (
        <li
          key={violations}
          className={classNames(styles.rung, styles[kindOf(violations)])}
          aria-current={violations === current ? 'step' : undefined}
        >
          <span className={styles.number}>{violations}</span>
          <span>{t(`rung.${kindOf(violations)}`, { time: length(banMs) })}</span>
          {violations === current && <span className={styles.you}>{you}</span>}
        </li>
      ))}
    </ol>
  );
}
