import { useLocale, useTranslations } from 'next-intl';
import { useDurations } from '../_i18n/use-durations';
import type { RefusalData } from '../_trpc/types';
import styles from './refusal-note.module.css';

interface Props {
  refusal: Pick<
    RefusalData,
    'level' | 'limit' | 'windowMs' | 'reason' | 'violations' | 'warning' | 'bannedUntil'
  >;
  /** The policy's own words, in the visitor's language. */
  message: string;
}

/** The words for each level; `other` for a level that is not here. */
const wordsOf: Record<string, 'user' | 'ip' | 'global' | 'email' | 'emailHere'> = {
  user: 'user',
  ip: 'ip',
  'ip-daily': 'ip',
  global: 'global',
  mails: 'global',
  email: 'email',
  'email-daily': 'email',
  'email+ip': 'emailHere',
};

/** Which rule said no and whose it is, then what the policy has to say. */
export function RefusalNote({ refusal, message }: Props) {
  const { level, limit, windowMs, reason, violations = 0, warning, bannedUntil } = refusal;
  const t = useTranslations('refusal');
  const language = useLocale();
  const window = useDurations().length(windowMs);
  if (reason === 'banned' && bannedUntil) {
    // Only a click brings this about, so it is never rendered where the visitor's time zone is not known.
    const time = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' }).format(
      bannedUntil,
    );
    return (
      <>
        <strong className={styles.rule}>{t('banned', { time })}</strong>
        <span className={styles.rule}>{t('bannedBy', { limit, window })}</span>
        {message}
      </>
    );
  }
  return (
    <>
      <strong className={styles.rule}>{t(wordsOf[level] ?? 'other', { level, limit, window })}</strong>
      {message}
      {warning && <strong className={styles.warning}>{t('warned', { count: violations })}</strong>}
    </>
  );
}
