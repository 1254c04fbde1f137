import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useLocalTime } from '../_i18n/use-local-time';
import { usePeriod } from '../_i18n/use-period';
import type { RefusalData } from '../_trpc/types';
import styles from './refusal-note.module.css';

interface Props {
  refusal: Pick<
    RefusalData,
    'algorithm' | 'level' | 'limit' | 'windowMs' | 'reason' | 'violations' | 'warning' | 'bannedUntil'
  >;
  /** The policy's own message, in the visitor's language. */
  message: ReactNode;
}

/** The message key of each level. Other levels use `other`. */
const messageKeys: Record<string, 'user' | 'ip' | 'global' | 'email' | 'emailHere'> = {
  user: 'user',
  ip: 'ip',
  'ip-daily': 'ip',
  global: 'global',
  mails: 'global',
  email: 'email',
  'email-daily': 'email',
  'email+ip': 'emailHere',
};

/** States which limit refused, then the policy's message. */
export function RefusalNote({ refusal, message }: Props) {
  const { algorithm, level, limit, windowMs, reason, violations = 0, warning, bannedUntil } = refusal;
  const t = useTranslations('refusal');
  const formatLocal = useLocalTime();
  const window = usePeriod()(windowMs);
  if (reason === 'banned' && bannedUntil) {
    // A refusal is the response to a call from the browser, so this renders only there, in the visitor's time zone.
    const time = formatLocal(bannedUntil, { hour: 'numeric', minute: '2-digit' });
    return (
      <>
        <strong className={styles.rule}>{t('banned', { time })}</strong>
        <span className={styles.rule}>{t('bannedBy', { limit, window })}</span>
        {message}
      </>
    );
  }
  // The policy's message is about its limit, which is not the reason.
  if (reason === 'blocked')
    return (
      <>
        <strong className={styles.rule}>{t('blocked')}</strong>
        {t('blockedText')}
      </>
    );
  return (
    <>
      <strong className={styles.rule}>
        {t(algorithm === 'in-flight' ? 'running' : (messageKeys[level] ?? 'other'), { level, limit, window })}
      </strong>
      {message}
      {warning && <span className={styles.warning}>{t('warned', { count: violations })}</span>}
    </>
  );
}
