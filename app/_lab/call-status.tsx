import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { ProblemNote } from '../_components/problem-note';
import { Button } from '../_components/ui/button';
import { Notice } from '../_components/ui/notice';
import { Progress } from '../_components/ui/progress';
import { ShareProgress } from '../_components/ui/share-progress';
import { useDurations } from '../_i18n/use-durations';
import type { Problem } from '../_trpc/problem';
import styles from './call-status.module.css';

interface Props {
  call: {
    busy: boolean;
    wasCancelled: boolean;
    problem: Problem | undefined;
    againInSeconds: number;
    cancel(): void;
  };
  /** The words on the button. */
  label: ReactNode;
  onStart(): void;
  /** There is nothing to start. */
  closed?: boolean;
  variant?: 'primary' | 'secondary';
  /** How far it has come; absent where nobody knows. */
  progress?: { done: number; of: number } | undefined;
  /** Said while nothing is under way and nothing went wrong. */
  idle?: ReactNode;
}

/** The button that starts something, how far that is, the way to give it up, and why it was not done. */
export function CallStatus({ call, label, onStart, closed, variant = 'secondary', progress, idle }: Props) {
  const t = useTranslations('lab.call');
  const { wait } = useDurations();
  const { busy, problem, wasCancelled, againInSeconds } = call;

  function note(): ReactNode {
    if (busy) {
      return (
        <div className={styles.progress}>
          <span>{progress ? t('progress', progress) : t('busy')}</span>
          {progress ? (
            <ShareProgress label={t('busy')} value={progress.done} max={progress.of} />
          ) : (
            <Progress label={t('busy')} overMs={0} />
          )}
        </div>
      );
    }
    // Giving a call up is one's own doing, and a refusal is over when the button opens again.
    if (wasCancelled) return <Notice>{t('cancelled')}</Notice>;
    if (problem && (problem.kind !== 'refused' || againInSeconds > 0)) {
      return <ProblemNote problem={problem} here="/lab" />;
    }
    return idle ? <Notice>{idle}</Notice> : null;
  }

  return (
    <div className={styles.status}>
      <div className={styles.buttons}>
        <Button variant={variant} busy={busy} closed={closed || againInSeconds > 0} onClick={onStart}>
          {againInSeconds > 0 ? t('againIn', { time: wait(againInSeconds) }) : label}
        </Button>
        {busy && <Button onClick={call.cancel}>{t('cancel')}</Button>}
      </div>
      <div className={styles.note} role="status">
        {note()}
      </div>
    </div>
  );
}
