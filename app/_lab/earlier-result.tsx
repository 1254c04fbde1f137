import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import { Badge } from '../_components/ui/status';
import styles from './earlier-result.module.css';

interface Props {
  /** The settings have changed since the run, or the next run was cancelled. */
  isEarlier: boolean;
  children: ReactNode;
}

/** The result of a run. If it is not that of the latest settings and start, it is dimmed and labelled. Nothing moves. */
export function EarlierResult({ isEarlier, children }: Props) {
  const t = useTranslations('lab.call');
  return (
    <div className={styles.frame}>
      <div className={classNames(styles.result, isEarlier && styles.earlier)}>{children}</div>
      {isEarlier && (
        <span className={styles.label}>
          <Badge>{t('earlier')}</Badge>
        </span>
      )}
    </div>
  );
}
