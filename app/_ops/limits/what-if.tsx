import { useFormatter, useLocale, useTranslations } from 'next-intl';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { Chart } from '../../_components/ui/chart';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { Progress } from '../../_components/ui/progress';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import type { Problem } from '../../_trpc/problem';
import { useMutation } from '../../_trpc/use-mutation';
import { type FormProblem, useProblem } from '../form-problems';
import type { WhatIf } from '../types';
import type { LimitDiff } from './limit-change';
import styles from './what-if.module.css';

interface WhatIfQuery {
  run(change: LimitDiff): void;
  /** Cancels the running query. */
  cancel(): void;
  isRunning: boolean;
  /** The last result and its change. */
  result: { change: LimitDiff; whatIf: WhatIf } | undefined;
  problem: FormProblem | undefined;
}

/** Replays the last minutes of a level under another limit. Takes seconds and can be cancelled. */
export function useWhatIf(level: { policy: string; level: string }): WhatIfQuery {
  const client = useTRPCClient();
  const controller = useRef<AbortController>(undefined);
  const { mutate, reset, isPending, data, error } = useMutation({
    async mutationFn(change: LimitDiff) {
      controller.current = new AbortController();
      const { signal } = controller.current;
      return { change, whatIf: await client.ops.whatIf.mutate({ ...level, ...change }, { signal }) };
    },
  });
  return {
    run: mutate,
    cancel() {
      reset();
      controller.current?.abort();
    },
    isRunning: isPending,
    result: data,
    problem: useProblem(error),
  };
}

interface StatusProps {
  problem: Problem | undefined;
  /** The problems that belong to no field. */
  rest: string | undefined;
  isRunning: boolean;
  onCancel(): void;
  /** Shown when nothing is running and nothing failed. */
  children: ReactNode;
}

/** Shows the running query, its problem, or the children. */
export function WhatIfStatus({ problem, rest, isRunning, onCancel, children }: StatusProps) {
  const t = useTranslations('opsLimits');
  if (isRunning) {
    return (
      <div className={styles.confirmation}>
        <div className={classNames(layout.stack2, styles.progress)}>
          <span>{t('replaying')}</span>
          <Progress label={t('replaying')} overMs={0} />
        </div>
        <Button onClick={onCancel}>{t('stop')}</Button>
      </div>
    );
  }
  if (problem?.kind === 'rejected') {
    return rest ? <ProblemNote problem={{ ...problem, message: rest }} here="/ops/steer" /> : children;
  }
  if (problem) return <ProblemNote problem={problem} here="/ops/steer" />;
  return children;
}

const height = 150;

/** Compares the same calls under the current and the new limit: totals, and per second. */
export function WhatIfResult({ whatIf }: { whatIf: WhatIf }) {
  const t = useTranslations('opsLimits.whatIf');
  const { length } = useDurations();
  const { from, to, arrivals, recorded, before } = whatIf;
  if (arrivals === 0) return <Notice>{t('noCalls')}</Notice>;
  const isAsRecorded = recorded.admitted === before.admitted && recorded.refused === before.refused;
  return (
    <div className={layout.stack3}>
      <p>{t('calls', { count: arrivals, time: length(Math.round((to - from) / 1_000) * 1_000) })}</p>
      <Totals whatIf={whatIf} />
      {!isAsRecorded && <Notice>{t('recorded', { ...recorded })}</Notice>}
      <div className={styles.charts}>
        <Comparison outcome="admitted" whatIf={whatIf} />
        <Comparison outcome="refused" whatIf={whatIf} />
      </div>
    </div>
  );
}

const outcomes = ['admitted', 'refused'] as const;

function Totals({ whatIf: { before, after } }: { whatIf: WhatIf }) {
  const t = useTranslations('opsLimits.whatIf');
  const { number } = useFormatter();
  return (
    <table className={styles.totals}>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('before')}</th>
          <th scope="col">{t('after')}</th>
          <th scope="col">{t('difference')}</th>
        </tr>
      </thead>
      <tbody>
        {outcomes.map((outcome) => (
          <tr key={outcome}>
            <th scope="row">{t(outcome)}</th>
            <td>{number(before[outcome])}</td>
            <td className={styles.after}>{number(after[outcome])}</td>
            <td>{number(after[outcome] - before[outcome], { signDisplay: 'exceptZero' })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Charts one outcome per second, before and after, on one scale. */
function Comparison({
  outcome,
  whatIf: { before, after },
}: {
  outcome: 'admitted' | 'refused';
  whatIf: WhatIf;
}) {
  const t = useTranslations('opsLimits.whatIf');
  const language = useLocale();
  const x = useMemo(() => before.perSecond.map(({ at }) => at), [before]);
  const series = useMemo(
    () => [
      {
        label: t('before'),
        tone: 'ink-soft' as const,
        values: before.perSecond.map((one) => one[outcome]),
        kind: 'step' as const,
      },
      {
        label: t('after'),
        tone: outcome === 'admitted' ? ('accent' as const) : ('wait' as const),
        values: after.perSecond.map((one) => one[outcome]),
        kind: 'step' as const,
      },
    ],
    [before, after, outcome, t],
  );
  const formatX = useMemo(() => {
    const { format } = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' });
    return (at: number) => format(at);
  }, [language]);
  const formatY = useCallback((count: number) => t('perSecond', { count }), [t]);
  return (
    <div>
      <p className={styles.title}>{t(`${outcome}PerSecond`)}</p>
      <Chart
        label={t(`${outcome}PerSecond`)}
        summary={t('summary', { before: before[outcome], after: after[outcome] })}
        x={x}
        series={series}
        xKind="instant"
        height={height}
        formatX={formatX}
        formatY={formatY}
      />
    </div>
  );
}
