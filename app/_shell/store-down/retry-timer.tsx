import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { Progress } from '../../_components/ui/bars';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { useDurations } from '../../_i18n/use-durations';
import { stopwatch } from '../../_live/clock';
import { useCountdown } from '../../_live/use-now';
import styles from '../shell.module.css';

interface Props {
  /** Retries once. Resolves after the attempt, successful or not. */
  retry(): Promise<unknown>;
  /** Wait before the first retry, in ms. Default: 3,750 to 5,000. */
  firstWaitMs?: number | undefined;
}

/**
 * Retries at growing intervals while the page is visible. Shows the countdown to the next retry and a button to retry now.
 * Needs `storeDown` and `duration`.
 */
export function RetryTimer({ retry, firstWaitMs }: Props) {
  const t = useTranslations('storeDown');
  const { wait } = useDurations();
  const [attempts, setAttempts] = useState(0);
  const [next, setNext] = useState<{ at: number; waitMs: number }>();
  const { mutate: retryNow, isPending: isRetrying } = useMutation({
    mutationFn: retry,
    onSettled: () => setAttempts((count) => count + 1),
    throwOnError: true,
  });
  const secondsLeft = useCountdown({ clock: stopwatch, until: next?.at });

  useEffect(() => {
    if (isRetrying) return;
    const waitMs = (attempts === 0 ? firstWaitMs : undefined) ?? getRetryDelayMs(attempts);
    setNext({ at: stopwatch.now() + waitMs, waitMs });
    let cancel: (() => void) | undefined;
    const timer = setTimeout(() => {
      cancel = runWhenVisible(retryNow);
    }, waitMs);
    return () => {
      clearTimeout(timer);
      cancel?.();
    };
  }, [attempts, isRetrying, retryNow, firstWaitMs]);

  const waitMs = next?.waitMs ?? firstWaitMs ?? FIRST_DELAY_MS;
  const seconds = next ? secondsLeft : Math.ceil(waitMs / 1_000);
  return (
    <div className={classNames(layout.stack4, styles.retry)}>
      <div className={classNames(layout.stack2, styles.wait)}>
        {/* A timer is not announced: it may be in a live region. */}
        <span role="timer" className={classNames(layout.hint, layout.figures)}>
          {isRetrying ? t('retrying') : t('retryIn', { time: wait(Math.max(1, seconds)) })}
        </span>
        <Progress key={waitMs} label={t('waiting')} overMs={isRetrying ? 0 : waitMs} />
      </div>
      <Button busy={isRetrying} onClick={() => retryNow()}>
        {t('retryNow')}
      </Button>
    </div>
  );
}

/** Runs a function now, or as soon as the page is visible. Returns a function that cancels it. */
function runWhenVisible(act: () => void): () => void {
  const abort = new AbortController();
  const runIfVisible = () => {
    if (document.visibilityState === 'hidden') return;
    abort.abort();
    act();
  };
  document.addEventListener('visibilitychange', runIfVisible, { signal: abort.signal });
  runIfVisible();
  return () => abort.abort();
}

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 30_000;

/**
 * Returns the wait before the next retry after a number of failures: 5, 10, 20, then 30 s, reduced by up to a quarter
 * at random, so that visitors do not all retry at once.
 */
export function getRetryDelayMs(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
  return Math.round(longest * (1 - random() / 4));
}
