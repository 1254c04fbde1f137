import { useTranslations } from 'next-intl';
import { useDurations } from '../_i18n/use-durations';
import type { RefusalData } from '../_trpc/types';
import styles from './refusal-note.module.css';

interface Props {
  refusal: Pick<RefusalData, 'level' | 'limit' | 'windowMs' | 'reason'>;
  /** The policy's own words, in the visitor's language. */
  message: string;
}

/** Which rule said no and whose it is, then what the policy has to say. */
export function RefusalNote({ refusal: { level, limit, windowMs, reason }, message }: Props) {
  const t = useTranslations('refusal');
  const window = useDurations().length(windowMs);
  const rule = () => {
    switch (level) {
      case 'user':
      case 'ip':
      case 'global':
        return t(level, { limit, window });
      case 'email':
      case 'email+ip':
        return t(level === 'email' ? 'email' : 'emailHere', { limit, window });
      default:
        return t('other', { level, limit, window });
    }
  };
  return (
    <>
      <strong className={styles.rule}>{reason === 'banned' ? t('banned') : rule()}</strong>
      {message}
    </>
  );
}
