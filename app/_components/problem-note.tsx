import Link from 'next/link';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useLocalTime } from '../_i18n/local-time';
import { usePeriod } from '../_i18n/use-durations';
import type { Problem } from '../_trpc/problem';
import type { RefusalData } from '../_trpc/types';
import styles from './purchase.module.css';
import { Notice } from './ui/status';

interface ProblemProps {
  problem: Problem;
  /** The page to return to after signing in. */
  here: string;
  /** The call buys, pays or cancels: without a response, the wallet shows its result. Default: false. */
  isPurchase?: boolean;
  /** The wait of a refusal has ended. Default: false. */
  isOver?: boolean;
}

/** Explains why a call failed. */
export function ProblemNote({ problem, here, isPurchase = false, isOver = false }: ProblemProps) {
  const t = useTranslations('problem');
  switch (problem.kind) {
    case 'refused':
      return (
        <Notice tone="refused">
          <RefusalNote
            refusal={problem.refusal}
            message={isOver ? <InPlaceOf text={problem.message}>{t('again')}</InPlaceOf> : problem.message}
          />
        </Notice>
      );
    case 'signed-out':
      return (
        <Notice tone="warning">
          {t.rich('signedOut', {
            way: (text) => (
              <Link prefetch={false} href={`/sign-in?next=${encodeURIComponent(here)}`}>
                {text}
              </Link>
            ),
          })}
        </Notice>
      );
    case 'rejected':
      return <Notice tone="warning">{problem.message ?? t('rejected')}</Notice>;
    case 'unavailable':
    case 'lost':
      return <Notice tone="unavailable">{t(isPurchase ? `${problem.kind}Purchase` : problem.kind)}</Notice>;
    case 'missing':
    case 'broken':
      return <Notice tone="warning">{t(problem.kind)}</Notice>;
  }
}

interface RefusalProps {
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
export function RefusalNote({ refusal, message }: RefusalProps) {
  const { algorithm, level, limit, windowMs, reason, violations = 0, warning, bannedUntil } = refusal;
  const t = useTranslations('refusal');
  const formatLocal = useLocalTime();
  const window = usePeriod()(windowMs);
  if (reason === 'banned' && bannedUntil) {
    // A refusal is the response to a call from the browser, so this renders only there, in the visitor's time zone.
    const time = formatLocal(bannedUntil, { hour: 'numeric', minute: '2-digit' });
    return (
      <>
        <strong className={styles.block}>{t('banned', { time })}</strong>
        <span className={styles.block}>{t('bannedBy', { limit, window })}</span>
        {message}
      </>
    );
  }
  // The policy's message is about its limit, which is not the reason.
  if (reason === 'blocked')
    return (
      <>
        <strong className={styles.block}>{t('blocked')}</strong>
        {t('blockedText')}
      </>
    );
  return (
    <>
      <strong className={styles.block}>
        {t(algorithm === 'in-flight' ? 'running' : (messageKeys[level] ?? 'other'), { level, limit, window })}
      </strong>
      {message}
      {warning && <span className={styles.lastWarning}>{t('warned', { count: violations })}</span>}
    </>
  );
}

/** Shows a text in the space of another one, so that nothing moves. */
export function InPlaceOf({ text, children }: { text: ReactNode; children: string }) {
  return (
    <span className={styles.inPlace}>
      <span>{children}</span>
      <span aria-hidden="true">{text}</span>
    </span>
  );
}
