import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import layout from '../../_components/ui/layout.module.css';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { CallStatus, useLimitedCall } from '../limited-call';
import type { LadderRun } from '../types';
import { tutorialPolicy } from './ladder';
import styles from './punishment-ladder.module.css';
import { ResultEntry } from './result-list';
import { Rungs } from './rungs';

/** Ten calls of one caller on the lab's clock, with the punishment of a tutorial. */
export function TutorialLadder() {
  const t = useTranslations('labLadder');
  const { length } = useDurations();
  const client = useTRPCClient();
  const call = useLimitedCall((_: null, signal) => client.lab.ladder.mutate(undefined, { signal }));
  const { limit, windowMs, warnAt, banAt, banMs } = tutorialPolicy;
  const calls = call.data?.calls ?? [];

  return (
    <>
      <div className={styles.hand}>
        <CallStatus
          call={call}
          variant="primary"
          icon={Play}
          label={t('tutorial.start')}
          onStart={() => call.start(null)}
          idle={
            call.data
              ? t('tutorial.claim', countOutcomes(call.data))
              : t('tutorial.idle', {
                  ...{ limit, warnAt, banAt },
                  window: length(windowMs),
                  time: length(banMs),
                })
          }
        />
        <div className={styles.log}>
          <h3 className={layout.hint}>{t('results')}</h3>
          <ol className={styles.results}>
            {calls.length === 0 && <li className={layout.hint}>{t('tutorial.none')}</li>}
            {calls.map((result) => (
              <ResultEntry key={result.at} result={result} />
            ))}
          </ol>
        </div>
      </div>
      <Rungs policy={tutorialPolicy} violations={calls.at(-1)?.violations} you={t('tutorial.caller')} />
    </>
  );
}

function countOutcomes({ calls }: LadderRun) {
  const count = (outcome: LadderRun['calls'][number]['outcome']) =>
    calls.filter((call) => call.outcome === outcome).length;
  return {
    admitted: count('admitted'),
    refused: count('refused'),
    warned: count('warned'),
    bans: count('banned'),
  };
}
