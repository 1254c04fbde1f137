import { useTranslations } from 'next-intl';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../../_components/ui/button';
import { Progress } from '../../_components/ui/progress';
import { useDurations } from '../../_i18n/use-durations';
import styles from './ask-again.module.css';
import { useAskAgain } from './use-ask-again';

interface Props {
  /** Asks once; it has been answered when this resolves, well or not. */
  ask(): Promise<unknown>;
  /** Default: 5 s. */
  firstWaitMs?: number | undefined;
}

/** When the store is asked next, and a button for who does not want to wait. Needs `storeDown` and `duration`. */
export default function AskAgain({ ask, firstWaitMs }: Props) {
  const t = useTranslations('storeDown');
  const { wait } = useDurations();
  const { inSeconds, waitMs, isAsking, askNow } = useAskAgain(ask, firstWaitMs);
  const place = useRef<HTMLDivElement>(null);

  // Who waits with the focus on the button goes on reading where the page begins again.
  useLayoutEffect(() => {
    const here = place.current;
    return () => {
      if (here?.contains(document.activeElement)) document.getElementById('content')?.focus();
    };
  }, []);

  const words = isAsking ? t('asking') : t('againIn', { time: wait(Math.max(1, inSeconds)) });
  return (
    <div ref={place} className={styles.again}>
      <div className={styles.wait}>
        <span className={styles.words}>{words}</span>
        <Progress key={waitMs} label={t('waiting')} overMs={isAsking ? 0 : waitMs} />
      </div>
      <Button busy={isAsking} onClick={askNow}>
        {t('askNow')}
      </Button>
    </div>
  );
}
