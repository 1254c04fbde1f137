'use client';

import { Ban, Check, MousePointerClick, OctagonAlert, TriangleAlert, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Badge, type BadgeTone } from '../../_components/ui/badge';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/panel';
import { useDurations } from '../../_i18n/use-durations';
import { stopwatch } from '../../_live/clock';
import { useNow } from '../../_live/use-now';
import { useTRPCClient } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import { getLadderState, type LadderState, ladderPolicy, type TapResult, toTapResult } from './ladder';
import styles from './punishment-ladder.module.css';

const tones = {
  admitted: 'good',
  refused: 'neutral',
  warned: 'wait',
  banned: 'fail',
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
          <div role="status" className={layout.hiddenIfEmpty}>
            {problem && <ProblemNote problem={problem} here="/lab?section=ladder" />}
          </div>
          <h3 className={layout.hint}>{t('results')}</h3>
          <ol className={styles.results} aria-live="polite">
            {results.length === 0 && <li className={layout.hint}>{t('none')}</li>}
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

/** The rungs, with the ban at the top and the visitor's position. */
function Rungs({ state }: { state: LadderState }) {
  const t = useTranslations('lab.ladder');
  const { length } = useDurations();
  const { banAt, banMs } = ladderPolicy;
  const rungs = Array.from({ length: banAt + 1 }, (_, violations) => banAt - violations);
  return (
    <ol className={styles.rungs} aria-label={t('rungs')} reversed start={banAt}>
      {rungs.map((violations) => (
        <li
          key={violations}
          className={classNames(styles.rung, styles[getRungKind(violations)])}
          aria-current={violations === state.violations ? 'step' : undefined}
        >
          <span className={styles.number}>{violations}</span>
          <span>{t(`rung.${getRungKind(violations)}`, { time: length(banMs) })}</span>
          {violations === state.violations && <span className={styles.you}>{t('you')}</span>}
        </li>
      ))}
    </ol>
  );
}

function getRungKind(violations: number): 'free' | 'noted' | 'warned' | 'banned' {
  if (violations === 0) return 'free';
  if (violations >= ladderPolicy.banAt) return 'banned';
  return violations >= ladderPolicy.warnAt ? 'warned' : 'noted';
}

/** Kept results. The state needs only the newest refusal. */
const MAX_RESULTS = 50;

interface Ladder {
  tap(): Promise<void>;
  /** Oldest first. */
  results: readonly TapResult[];
  state: LadderState;
  now: number;
  /** Error of the last tap, except a refusal by the limit. */
  problem: Problem | undefined;
}

/** Sends taps to the button's policy and tracks the visitor's state. */
function useLadder(): Ladder {
  const client = useTRPCClient();
  const [results, setResults] = useState<readonly TapResult[]>([]);
  const [problem, setProblem] = useState<Problem>();
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

  async function tap(): Promise<void> {
    const addResult = (result: TapResult) => setResults((before) => [...before, result].slice(-MAX_RESULTS));
    try {
      await client.lab.tap.mutate();
      addResult({ at: stopwatch.now(), outcome: 'admitted' });
      setProblem(undefined);
    } catch (error) {
      const found = problemOf(error);
      if (found.kind === 'refused') addResult(toTapResult(stopwatch.now(), found.refusal));
      setProblem(found.kind === 'refused' ? undefined : found);
    }
  }

  return { tap, results, state: getLadderState(now, results), now, problem };
}
