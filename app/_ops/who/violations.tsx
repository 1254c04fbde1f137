import { useTranslations } from 'next-intl';
import { Badge } from '../../_components/ui/badge';
import type { RefusedSubject } from '../types';
import styles from './violations.module.css';

/** How many violations count against somebody, of how many that make a ban; a dash where nobody is punished. */
export function Violations({ punished }: Pick<RefusedSubject, 'punished'>) {
  const t = useTranslations('opsWho.refused');
  if (!punished) return '–';
  const { violations, banAt, warning, bannedUntil } = punished;
  const isBanned = bannedUntil !== null;
  return (
    <span className={styles.violations}>
      {(isBanned || warning) && (
        <Badge tone={isBanned ? 'ember' : 'sand'}>{t(isBanned ? 'lockedOut' : 'warned')}</Badge>
      )}{' '}
      {t('violationsOf', { violations, banAt })}
    </span>
  );
}
