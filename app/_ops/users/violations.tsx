import { useTranslations } from 'next-intl';
import { Badge } from '../../_components/ui/badge';
import type { RefusedSubject } from '../types';
import styles from './violations.module.css';

/** Shows the violations of a caller and the number that leads to a ban; a dash for a level that does not punish. */
export function Violations({ punished }: Pick<RefusedSubject, 'punished'>) {
  const t = useTranslations('opsUsers.refused');
  if (!punished) return '–';
  const { violations, banAt, warning, bannedUntil } = punished;
  const isBanned = bannedUntil !== null;
  return (
    <span className={styles.violations}>
      {(isBanned || warning) && (
        <Badge tone={isBanned ? 'ember' : 'sand'}>{t(isBanned ? 'blocked' : 'warned')}</Badge>
      )}{' '}
      {t('violationsOf', { violations, banAt })}
    </span>
  );
}
