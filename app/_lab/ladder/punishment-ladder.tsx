'use client';

import { MousePointerClick, OctagonAlert } from 'lucide-react';
import { useLocale, useTranslations } from 'next-intl';
import { useState } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { sentenceGap } from '../../_i18n/language';
import { useDurations } from '../../_i18n/use-durations';
import { setQuery } from '../set-query';
import { findLadderMode, type LadderMode, ladderModes, ladderPolicy } from './ladder';
import styles from './punishment-ladder.module.css';
import { ResultEntry } from './result-list';
import { Rungs } from './rungs';
import { TutorialLadder } from './tutorial-ladder';
import { useLadder } from './use-ladder';

const MAX_SHOWN_RESULTS = 7;

/** A punishing limit: warnings, a ban, and their expiry, by the visitor's clicks or by ten calls. The URL names the mode. */
export default function PunishmentLadder({ initial }: { initial: LadderMode }) {
  const t = useTranslations('labLadder');
  const [mode, setMode] = useState(initial);

  function chooseMode(name: string): void {
    const chosen = findLadderMode(name);
    setMode(chosen);
    setQuery('ladder', chosen);
  }

  return (
    <Panel>
      <div className={styles.layout}>
        <SelectField
          label={t('mode')}
          value={mode}
          options={ladderModes.map((name) => ({ value: name, label: t(`modes.${name}`) }))}
          onChange={chooseMode}
        />
        {mode === 'clicks' ? <ClickLadder /> : <TutorialLadder />}
      </div>
    </Panel>
  );
}

/** A button with a punishing limit. */
function ClickLadder() {
  const t = useTranslations('labLadder');
  const gap = sentenceGap(useLocale());
  const { wait, length } = useDurations();
  const { tap, results, state, now, problem } = useLadder();
  const secondsTo = (end: number) => wait(Math.max(0, Math.ceil((end - now) / 1_000)));

  const { limit, windowMs, warnAt, banAt, banMs, lapseMs } = ladderPolicy;
  const rule = {
    ...{ limit, warnAt, banAt },
    ...{ window: length(windowMs), ban: length(banMs), lapse: length(lapseMs) },
  };

  function describeState(): string {
    const { bannedUntil, openAt, violations, lapsesAt } = state;
    if (bannedUntil !== undefined) return t('banned', { time: secondsTo(bannedUntil) });
    const lapse = lapsesAt === undefined ? '' : t('lapse', { count: violations, time: secondsTo(lapsesAt) });
    const open = openAt === undefined ? t('open') : t('closed', { time: secondsTo(openAt) });
    return open + gap + lapse;
  }

  return (
    <>
      <div className={styles.hand}>
        <p className={layout.hint}>{t('rule', rule)}</p>
        <Button variant="primary" size="large" wide onClick={tap}>
          <MousePointerClick size={20} aria-hidden="true" />
          {t('tap')}
        </Button>
        <p className={styles.state}>
          {state.bannedUntil !== undefined && <OctagonAlert size={16} aria-hidden="true" />}
          {describeState()}
        </p>
        <div role="status" className={layout.hiddenIfEmpty}>
          {problem && <ProblemNote problem={problem} here="/lab?section=ladder" />}
        </div>
        <div className={styles.log}>
          <h3 className={layout.hint}>{t('results')}</h3>
          <ol className={styles.results} aria-live="polite">
            {results.length === 0 && <li className={layout.hint}>{t('none')}</li>}
            {results
              .slice(-MAX_SHOWN_RESULTS)
              .toReversed()
              .map((result) => (
                <ResultEntry key={result.at} result={result} />
              ))}
          </ol>
        </div>
      </div>
      <Rungs policy={ladderPolicy} violations={state.violations} you={t('you')} />
    </>
  );
}
