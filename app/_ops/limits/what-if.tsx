import { useFormatter, useTranslations } from 'next-intl';
import { useCallback, useId, useMemo, useState } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Announcer } from '../../_components/ui/announcer';
import { Progress } from '../../_components/ui/bars';
import { Button } from '../../_components/ui/button';
import { Chart } from '../../_components/ui/chart';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice, Skeleton } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import type { Problem } from '../../_trpc/problem';
import { useClockFormat } from '../formats';
import type { WhatIf } from '../types';
import type { useWhatIf } from './use-what-if';
import styles from './what-if.module.css';

interface PanelProps {
  whatIf: ReturnType<typeof useWhatIf>;
  /** True if the fields can be sent. The server may still reject one. */
  isValid: boolean;
  /** True if the fields hold a valid change. */
  isChange: boolean;
  /** The problem of the change, except those next to a field. */
  problem: Problem | undefined;
  here: string;
}

/** Shows the effect of a change next to its fields. Earlier numbers stay, dimmed, until the new ones are there. */
export function WhatIfPanel({ whatIf, isValid, isChange, problem, here }: PanelProps) {
  const t = useTranslations('opsLimits.whatIf');
  const { result, isCurrent, isRunning, isCancelled, cancel, retry } = whatIf;
  const id = useId();
  const noteId = useId();
  const mustCorrect = !isValid || whatIf.problem?.kind === 'rejected';
  const isShown = isChange && result !== undefined && !whatIf.problem;
  return (
    <section className={classNames(layout.stack3, styles.panel)} aria-labelledby={id}>
      <div className={styles.head}>
        <h3 id={id} className={layout.title}>
          {t('title')}
        </h3>
        {isRunning && <Button onClick={cancel}>{t('stop')}</Button>}
        {!isRunning && isChange && !isCurrent && (
          <Button closed={mustCorrect} aria-describedby={mustCorrect ? noteId : undefined} onClick={retry}>
            {t('preview')}
          </Button>
        )}
        {isRunning && (
          <div className={styles.progress}>
            <Progress label={t('replaying')} overMs={0} />
          </div>
        )}
      </div>
      <div role="status" className={layout.hiddenIfEmpty}>
        {problem && <ProblemNote problem={problem} here={here} />}
        {isCancelled && <Notice>{t('stopped')}</Notice>}
      </div>
      <Announcer text={useSummary(whatIf)} minIntervalMs={0} urgentKey={false} />
      {(mustCorrect || !isChange) && (
        <p id={noteId} className={layout.soft}>
          {t(mustCorrect ? 'correctFirst' : 'hint')}
        </p>
      )}
      {!isShown && !whatIf.problem && <Placeholder isRunning={isRunning} />}
      {isShown && (
        <div className={classNames(!isCurrent && styles.stale)} aria-busy={!isCurrent || undefined}>
          <WhatIfResult whatIf={result} />
        </div>
      )}
    </section>
  );
}

/** Holds the place of the first numbers. */
function Placeholder({ isRunning }: { isRunning: boolean }) {
  return (
    <div className={classNames(layout.stack3, !isRunning && styles.idle)} aria-hidden="true">
      <Totals />
      {isRunning && <Skeleton shape="strip" />}
      {isRunning && <Skeleton shape="strip" />}
    </div>
  );
}

/** Returns the sentence for screen readers. It changes only when new numbers are there. */
function useSummary({ result, isCurrent }: ReturnType<typeof useWhatIf>): string {
  const t = useTranslations('opsLimits.whatIf');
  const [announced, setAnnounced] = useState('');
  const text =
    isCurrent && result
      ? t('announced', { admitted: result.after.admitted, refused: result.after.refused })
      : announced;
  if (text !== announced) setAnnounced(text);
  return text;
}

const height = 120;

/** Compares the same calls under the current and the new limit: totals, and per second. */
function WhatIfResult({ whatIf }: { whatIf: WhatIf }) {
  const t = useTranslations('opsLimits.whatIf');
  const { wait, length } = useDurations();
  const { from, to, arrivals, recorded, before } = whatIf;
  // As high as the placeholder, so that a dialog in the middle of the screen does not jump.
  if (arrivals === 0)
    return (
      <div className={layout.stack3}>
        <Totals whatIf={whatIf} />
        <Notice>{t('noCalls')}</Notice>
      </div>
    );
  const seconds = Math.round((to - from) / 1_000);
  const isAsRecorded = recorded.admitted === before.admitted && recorded.refused === before.refused;
  return (
    <div className={layout.stack3}>
      <p>
        {t('calls', { count: arrivals, time: seconds % 60 === 0 ? length(seconds * 1_000) : wait(seconds) })}
      </p>
      <Totals whatIf={whatIf} />
      {!isAsRecorded && <p className={layout.hint}>{t('recordedDiffers')}</p>}
      <div className={styles.charts}>
        <Comparison outcome="admitted" whatIf={whatIf} />
        <Comparison outcome="refused" whatIf={whatIf} />
      </div>
    </div>
  );
}

const outcomes = ['admitted', 'refused'] as const;

/** Compares what happened with the replays. Without numbers, it shows dashes. */
function Totals({ whatIf }: { whatIf?: WhatIf }) {
  const t = useTranslations('opsLimits.whatIf');
  const { number } = useFormatter();
  const differenceOf = (outcome: (typeof outcomes)[number]) =>
    whatIf
      ? number(whatIf.after[outcome] - whatIf.before[outcome], { signDisplay: 'exceptZero' }).replace(
          '-',
          '−',
        )
      : '–';
  return (
    <table className={styles.totals}>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('recorded')}</th>
          <th scope="col">{t('before')}</th>
          <th scope="col">{t('after')}</th>
          <th scope="col">{t('difference')}</th>
        </tr>
      </thead>
      <tbody>
        {outcomes.map((outcome) => (
          <tr key={outcome}>
            <th scope="row">{t(outcome)}</th>
            <td>{whatIf ? formatCount(whatIf.recorded[outcome]) : '–'}</td>
            <td>{whatIf ? formatCount(whatIf.before[outcome]) : '–'}</td>
            <td className={styles.after} data-difference={differenceOf(outcome)}>
              {whatIf ? formatCount(whatIf.after[outcome]) : '–'}
            </td>
            <td>{differenceOf(outcome)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Charts one outcome per second, before and after. */
function Comparison({
  outcome,
  whatIf: { before, after },
}: {
  outcome: 'admitted' | 'refused';
  whatIf: WhatIf;
}) {
  const t = useTranslations('opsLimits.whatIf');
  const x = useMemo(() => before.perSecond.map(({ at }) => at), [before]);
  const series = useMemo(
    () => [
      {
        label: t('before'),
        tone: 'ink-soft' as const,
        values: before.perSecond.map((one) => one[outcome]),
        isWide: true,
      },
      {
        label: t('after'),
        tone: outcome === 'admitted' ? ('accent' as const) : ('wait' as const),
        values: after.perSecond.map((one) => one[outcome]),
      },
    ],
    [before, after, outcome, t],
  );
  const formatX = useClockFormat();
  const formatY = useCallback((count: number) => t('perSecond', { count }), [t]);
  return (
    <div>
      <p className={styles.title}>{t(`${outcome}PerSecond`)}</p>
      <Chart
        label={t(`${outcome}PerSecond`)}
        summary={t('summary', { before: before[outcome], after: after[outcome] })}
        x={x}
        series={series}
        lastText={t('last')}
        height={height}
        formatX={formatX}
        formatY={formatY}
      />
    </div>
  );
}
