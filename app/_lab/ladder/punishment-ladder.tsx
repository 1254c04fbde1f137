import { useMutation } from '@tanstack/react-query';
import { MousePointerClick, OctagonAlert, Play } from 'lucide-react';
import { useLocale, useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { sentenceGap } from '../../_i18n/language';
import { useDurations } from '../../_i18n/use-durations';
import { stopwatch } from '../../_live/clock';
import { useNow } from '../../_live/use-now';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import { StartButton, useExperiment, useUrlChoice } from '../experiment';
import {
  findLadderMode,
  getLadderState,
  ladderModes,
  ladderPolicy,
  type TapResult,
  toTapResult,
  tutorialPolicy,
} from './ladder';
import styles from './ladder.module.css';
import { LadderView } from './ladder-view';

/** A punishing limit: warnings, a ban, and their expiry, by the visitor's clicks or by ten calls. The URL names the mode. */
export default function PunishmentLadder() {
  const t = useTranslations('labLadder');
  const [name, chooseMode] = useUrlChoice('ladder');
  const mode = findLadderMode(name);
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

const MAX_SHOWN_RESULTS = 7;

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
    <LadderView
      policy={ladderPolicy}
      violations={state.violations}
      you={t('you')}
      results={results.slice(-MAX_SHOWN_RESULTS).toReversed()}
      none={t('none')}
      isLive
    >
      <p className={layout.hint}>{t('rule', rule)}</p>
      <Button variant="primary" size="large" wide onClick={tap}>
        <MousePointerClick size={20} aria-hidden="true" />
        {t('tap')}
      </Button>
      <p className={classNames(layout.line2, layout.figures, layout.strong, styles.state)}>
        {state.bannedUntil !== undefined && <OctagonAlert size={16} aria-hidden="true" />}
        {describeState()}
      </p>
      <div role="status" className={layout.hiddenIfEmpty}>
        {problem && <ProblemNote problem={problem} here="/lab?section=ladder" />}
      </div>
    </LadderView>
  );
}

/** Kept results. The state needs only the newest refusal. */
const MAX_RESULTS = 50;

/** Sends taps to the button's policy and tracks the visitor's state. */
function useLadder() {
  const trpc = useTRPC();
  /** Oldest first. */
  const [results, setResults] = useState<readonly TapResult[]>([]);
  /** Error of the last tap, except a refusal by the limit. */
  const [problem, setProblem] = useState<Problem>();
  const addResult = (result: TapResult) => setResults((before) => [...before, result].slice(-MAX_RESULTS));
  const { mutate } = useMutation(
    trpc.lab.tap.mutationOptions({
      onSuccess() {
        addResult({ at: stopwatch.now(), outcome: 'admitted' });
        setProblem(undefined);
      },
      onError(error) {
        const found = problemOf(error);
        if (found.kind === 'refused') addResult(toTapResult(stopwatch.now(), found.refusal));
        setProblem(found.kind === 'refused' ? undefined : found);
      },
    }),
  );
  const nextAt = useCallback(
    (now: number) => {
      const { bannedUntil, lapsesAt, openAt } = getLadderState(now, results);
      const ends = [bannedUntil, lapsesAt, openAt].filter((end) => end !== undefined);
      // Each countdown shows whole seconds.
      const next = ends.map((end) => end - (Math.ceil((end - now) / 1_000) - 1) * 1_000);
      return next.length > 0 ? Math.min(...next) : undefined;
    },
    [results],
  );
  const now = useNow({ clock: stopwatch, initial: results.at(-1)?.at ?? 0, nextAt });

  return { tap: () => mutate(), results, state: getLadderState(now, results), now, problem };
}

/** Ten calls of one caller on the lab's clock, with the punishment of a tutorial. */
function TutorialLadder() {
  const t = useTranslations('labLadder');
  const { length } = useDurations();
  const client = useTRPCClient();
  const experiment = useExperiment(null, (_, signal) => client.lab.ladder.mutate(undefined, { signal }));
  const { limit, windowMs, warnAt, banAt, banMs } = tutorialPolicy;
  const calls = experiment.data?.calls ?? [];
  const count = (outcome: TapResult['outcome']) => calls.filter((call) => call.outcome === outcome).length;
  const claim = {
    ...{ admitted: count('admitted'), refused: count('refused') },
    ...{ warned: count('warned'), bans: count('banned') },
  };

  return (
    <LadderView
      policy={tutorialPolicy}
      violations={calls.at(-1)?.violations}
      you={t('tutorial.caller')}
      results={calls}
      none={t('tutorial.none')}
    >
      <StartButton
        experiment={experiment}
        variant="primary"
        icon={Play}
        label={t('tutorial.start')}
        idle={
          calls.length > 0
            ? t('tutorial.claim', claim)
            : t('tutorial.idle', { limit, warnAt, banAt, window: length(windowMs), time: length(banMs) })
        }
      />
    </LadderView>
  );
}
