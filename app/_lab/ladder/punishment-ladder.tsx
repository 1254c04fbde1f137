'use client';

import { Ban, Check, MousePointerClick, OctagonAlert, TriangleAlert, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Badge, type BadgeTone } from '../../_components/ui/badge';
import { Button } from '../../_components/ui/button';
import { Panel } from '../../_components/ui/panel';
import { useDurations } from '../../_i18n/use-durations';
import type { TapAnswer } from './ladder';
import styles from './punishment-ladder.module.css';
import { Rungs } from './rungs';
import { useLadder } from './use-ladder';

const tones = {
  admitted: 'leaf',
  refused: 'neutral',
  warned: 'sand',
  banned: 'ember',
} as const satisfies Record<TapAnswer['outcome'], BadgeTone>;

const pictures = {
  admitted: Check,
  refused: X,
  warned: TriangleAlert,
  banned: Ban,
} as const;

const shownAnswers = 7;

/** A button whose limit punishes who goes on: warnings, a ban, and how both pass. */
export default function PunishmentLadder() {
  const t = useTranslations('lab.ladder');
  const { wait } = useDurations();
  const { tap, answers, standing, now, problem } = useLadder();
  const secondsTo = (end: number) => wait(Math.max(0, Math.ceil((end - now) / 1_000)));

  function stand(): string {
    const { bannedUntil, openAt, violations, lapsesAt } = standing;
    if (bannedUntil !== undefined) return t('banned', { time: secondsTo(bannedUntil) });
    const lapse = lapsesAt === undefined ? '' : t('lapse', { count: violations, time: secondsTo(lapsesAt) });
    const open = openAt === undefined ? t('open') : t('shut', { time: secondsTo(openAt) });
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
          <p className={styles.standing}>
            {standing.bannedUntil !== undefined && <OctagonAlert size={16} aria-hidden="true" />}
            {stand()}
          </p>
          {problem && <ProblemNote problem={problem} here="/lab?section=ladder" />}
          <h3 className={styles.title}>{t('answers')}</h3>
          <ol className={styles.answers} aria-live="polite">
            {answers.length === 0 && <li className={styles.none}>{t('none')}</li>}
            {answers
              .slice(-shownAnswers)
              .toReversed()
              .map((answer) => {
                const Picture = pictures[answer.outcome];
                return (
                  <li key={answer.at} className={styles.answer}>
                    <Badge tone={tones[answer.outcome]}>
                      <Picture size={14} aria-hidden="true" />
                      {t(`outcome.${answer.outcome}`)}
                    </Badge>
                    {answer.outcome !== 'admitted' && (
                      <span>
                        {t('told', {
                          violations: answer.violations,
                          time: wait(Math.ceil(answer.retryAfterMs / 1_000)),
                        })}
                      </span>
                    )}
                  </li>
                );
              })}
          </ol>
        </div>
        <Rungs standing={standing} />
      </div>
    </Panel>
  );
}
