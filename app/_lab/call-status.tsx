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
    retryInSeconds: number;
    cancel(): void;
  };
  /** Button label. */
  label: ReactNode;
  onStart(): void;
  /** True if there is nothing to start. */
  closed?: boolean;
  variant?: 'primary' | 'secondary';
  /** Progress, if known. */
  progress?: { done: number; of: number } | undefined;
  /** Note while no call is running and no error is shown. */
  idle?: ReactNode;
}

/** A start button with progress, cancellation and errors. */
export function CallStatus({ call, label, onStart, closed, variant = 'secondary', progress, idle }: Props) {
  const t = useTranslations('lab.call');
  const { wait } = useDurations();
  const { busy, problem, wasCancelled, retryInSeconds } = call;

  function renderNote(): ReactNode {
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
    // A cancelled call is no error. The refusal note disappears when the button is enabled again.
    if (wasCancelled) return <Notice>{t('cancelled')}</Notice>;
    if (problem && (problem.kind !== 'refused' || retryInSeconds > 0)) {
      return <ProblemNote problem={problem} here="/lab" />;
    }
    return idle ? <Notice>{idle}</Notice> : null;
  }

  return (
    <div className={styles.status}>
      <div className={styles.buttons}>
        <Button variant={variant} busy={busy} closed={closed || retryInSeconds > 0} onClick={onStart}>
          {retryInSeconds > 0 ? t('retryIn', { time: wait(retryInSeconds) }) : label}
        </Button>
        {busy && <Button onClick={call.cancel}>{t('cancel')}</Button>}
      </div>
      <div className={styles.note} role="status">
        {renderNote()}
      </div>
    </div>
  );
}
