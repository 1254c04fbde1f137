'use client';

import { Ban, Check, MousePointerClick, OctagonAlert, TriangleAlert, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Badge, type BadgeTone } from '../../_components/ui/badge';
import { Button } from '../../_components/ui/button';
import { Panel } from '../../_components/ui/panel';
import { useDurations } from '../../_i18n/use-durations';
import type { TapResult } from './ladder';
import styles from './punishment-ladder.module.css';
import { Rungs } from './rungs';
import { useLadder } from './use-ladder';

const tones = {
  admitted: 'leaf',
  refused: 'neutral',
  warned: 'sand',
  banned: 'ember',
} as const satisfies Record<TapResult['outcome'], BadgeTone>;

const icons = {
  admitted: Check,
  refused: X,
  warned: TriangleAlert,
  banned: Ban,
} as const;

const MAX_SHOWN_RESULTS = 7;

/** A button with a punishing limit: warnings, a ban, and their expiry. */
export default function PunishmentLadder() {
  const t = useTranslations('lab.ladder');
  const { wait } = useDurations();
  const { tap, results, state, now, problem } = useLadder();
  const secondsTo = (end: number) => wait(Math.max(0, Math.ceil((end - now) / 1_000)));

  function describeState(): string {
    const { bannedUntil, openAt, violations, lapsesAt } = state;
    if (bannedUntil !== undefined) return t('banned', { time: secondsTo(bannedUntil) });
    const lapse = lapsesAt === undefined ? '' : t('lapse', { count: violations, time: secondsTo(lapsesAt) });
    const open = openAt === undefined ? t('open') : t('closed', { time: secondsTo(openAt) });
    return `${open} ${lapse}`;
  }

  return (
    <Panel>
      <div className={styles.layout}>
        <div className={styles.hand}>
          <Button variant="primary" size="large" wide onClick={tap}>
            <MousePointerClick size={20} aria-hidden="true" />
            {t('tap')}
          </Button>
          <p className={styles.state}>
            {state.bannedUntil !== undefined && <OctagonAlert size={16} aria-hidden="true" />}
            {describeState()}
          </p>
          {problem && <ProblemNote problem={problem} here="/lab?section=ladder" />}
          <h3 className={styles.title}>{t('results')}</h3>
          <ol className={styles.results} aria-live="polite">
            {results.length === 0 && <li className={styles.none}>{t('none')}</li>}
            {results
              .slice(-MAX_SHOWN_RESULTS)
              .toReversed()
              .map((result) => {
                const Icon = icons[result.outcome];
                return (
                  <li key={result.at} className={styles.result}>
                    <Badge tone={tones[result.outcome]}>
                      <Icon size={14} aria-hidden="true" />
                      {t(`outcome.${result.outcome}`)}
                    </Badge>
                    {result.outcome !== 'admitted' && (
                      <span>
                        {t('result', {
                          violations: result.violations,
                          time: wait(Math.ceil(result.retryAfterMs / 1_000)),
                        })}
                      </span>
                    )}
                  </li>
                );
              })}
          </ol>
        </div>
        <Rungs state={state} />
      </div>
    </Panel>
  );
}
