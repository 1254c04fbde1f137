import { useTranslations } from 'next-intl';
import { Progress } from '../../_components/ui/bars';
import { Button } from '../../_components/ui/button';
import { useDurations } from '../../_i18n/use-durations';
import styles from './retry-timer.module.css';
import { useRetry } from './use-retry';

interface Props {
  /** Retries once. Resolves after the attempt, successful or not. */
  retry(): Promise<unknown>;
  /** Wait before the first retry, in ms. Default: 3,750 to 5,000. */
  firstWaitMs?: number | undefined;
}

/** Shows the countdown to the next retry and a button to retry now. Needs `storeDown` and `duration`. */
export function RetryTimer({ retry, firstWaitMs }: Props) {
  const t = useTranslations('storeDown');
  const { wait } = useDurations();
  const { retryInSeconds, waitMs, isRetrying, retryNow } = useRetry(retry, firstWaitMs);

  const words = isRetrying ? t('retrying') : t('retryIn', { time: wait(Math.max(1, retryInSeconds)) });
  return (
    <div className={styles.again}>
      <div className={styles.wait}>
        {/* A timer is not announced: it may be in a live region. */}
        <span role="timer" className={styles.words}>
          {words}
        </span>
        <Progress key={waitMs} label={t('waiting')} overMs={isRetrying ? 0 : waitMs} />
      </div>
      <Button busy={isRetrying} onClick={retryNow}>
        {t('retryNow')}
      </Button>
    </div>
  );
}
