import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { Progress } from '../../_components/ui/bars';
import { Button } from '../../_components/ui/button';
import { Chart } from '../../_components/ui/chart';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { useClockFormat } from '../formats';
import type { Level, LimitChange, WhatIf } from '../types';
import styles from './limits.module.css';

/** Pause in typing after which a change is replayed, in ms. */
const SETTLE_MS = 400;
/** Time after which a replay without a response fails, in ms: a slow server must not keep an operator from acting. */
export const MAX_REPLAY_MS = 5_000;

interface WhatIfOptions {
  policy: string;
  level: Pick<Level, 'level' | 'version'>;
  /** The change to replay; `undefined` without one. */
  change: Pick<LimitChange, 'limit' | 'windowMs' | 'mode'> | undefined;
}

/**
 * Replays the last minutes of a level under a change, once typing pauses. A newer change cancels the replay; until its numbers
 * are there, the earlier ones are the placeholder.
 */
export function useWhatIf({ policy, level: { level, version }, change }: WhatIfOptions) {
  const client = useTRPCClient();
  return useQuery({
    queryKey: ['what-if', policy, level, version, change],
    async queryFn({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      signal.throwIfAborted();
      const call = new AbortController();
      const end = () => call.abort();
      signal.addEventListener('abort', end, { once: true });
      setTimeout(end, MAX_REPLAY_MS);
      return client.ops.whatIf.mutate({ policy, level, ...change }, { signal: call.signal });
    },
    enabled: change !== undefined,
    placeholderData: keepPreviousData,
    // The arrivals of the last minutes change with time, so no result is used twice.
    gcTime: 0,
    staleTime: 'static',
    retry: false,
    networkMode: 'always',
  });
}

interface PanelProps {
  whatIf: ReturnType<typeof useWhatIf>;
  /** The problem of the change, except those next to a field. */
  children: ReactNode;
}

/** Shows the effect of a change next to its fields. Earlier numbers stay, dimmed, until the new ones are there. */
export function WhatIfPanel({ whatIf, children }: PanelProps) {
  const t = useTranslations('opsLimits.whatIf');
  const id = useId();
  const { data, error, isEnabled, isFetching, isPlaceholderData, refetch } = whatIf;
  return (
    <section className={classNames(layout.stack3, layout.top, styles.whatIf)} aria-labelledby={id}>
      <div className={classNames(layout.row2, layout.apart, styles.whatIfHead)}>
        <h3 id={id} className={layout.title}>
          {t('title')}
        </h3>
        {error && problemOf(error).kind !== 'rejected' && (
          <Button onClick={() => void refetch()}>{t('preview')}</Button>
        )}
        {isFetching && (
          <div className={styles.progress}>
            <Progress label={t('replaying')} overMs={0} />
          </div>
        )}
      </div>
      <div role="status" className={layout.hiddenIfEmpty}>
        {children}
      </div>
      <span role="status" className={layout.visuallyHidden}>
        {data && t('announced', { admitted: data.after.admitted, refused: data.after.refused })}
      </span>
      {!isEnabled && <p className={layout.soft}>{t('hint')}</p>}
      {!error && <WhatIfResult whatIf={isEnabled ? data : undefined} isStale={isPlaceholderData} />}
    </section>
  );
}

interface ResultProps {
  /** `undefined` before the first numbers. */
  whatIf: WhatIf | undefined;
  isStale: boolean;
}

/** Compares the same calls under the current and the new limit: totals, and per second. */
function WhatIfResult({ whatIf, isStale }: ResultProps) {
  const t = useTranslations('opsLimits.whatIf');
  const { wait, length } = useDurations();
  if (!whatIf) return <Totals whatIf={undefined} />;
  const { from, to, arrivals, recorded, before } = whatIf;
  const seconds = Math.round((to - from) / 1_000);
  const time = seconds % 60 === 0 ? length(seconds * 1_000) : wait(seconds);
  const isAsRecorded = recorded.admitted === before.admitted && recorded.refused === before.refused;
  return (
    <div className={classNames(layout.stack3, isStale && styles.stale)} aria-busy={isStale || undefined}>
      {arrivals > 0 && <p>{t('calls', { count: arrivals, time })}</p>}
      <Totals whatIf={whatIf} />
      {arrivals === 0 && <Notice>{t('noCalls')}</Notice>}
      {!isAsRecorded && <p className={layout.hint}>{t('recordedDiffers')}</p>}
      {arrivals > 0 && (
        <div className={layout.stack4}>
          <Comparison outcome="admitted" whatIf={whatIf} />
          <Comparison outcome="refused" whatIf={whatIf} />
        </div>
      )}
    </div>
  );
}

type Outcome = 'admitted' | 'refused';
const outcomes = ['admitted', 'refused'] as const satisfies Outcome[];

/** Compares what happened with the replays. Without numbers, it shows dashes. */
function Totals({ whatIf }: { whatIf: WhatIf | undefined }) {
  const t = useTranslations('opsLimits.whatIf');
  const { number } = useFormatter();
  const countOf = (column: 'recorded' | 'before' | 'after', outcome: Outcome) =>
    whatIf ? formatCount(whatIf[column][outcome]) : '–';
  const differenceOf = (outcome: Outcome) =>
    whatIf
      ? number(whatIf.after[outcome] - whatIf.before[outcome], { signDisplay: 'exceptZero' }).replace(
          /^-/,
          '−',
        )
      : '–';
  return (
    <table className={classNames(styles.totals, !whatIf && styles.idle)} aria-hidden={!whatIf || undefined}>
      <thead>
        <tr>
          <td />
          {(['recorded', 'before', 'after', 'difference'] as const).map((column) => (
            <th key={column} scope="col">
              {t(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {outcomes.map((outcome) => (
          <tr key={outcome}>
            <th scope="row">{t(outcome)}</th>
            <td>{countOf('recorded', outcome)}</td>
            <td>{countOf('before', outcome)}</td>
            <td className={styles.after} data-difference={differenceOf(outcome)}>
              {countOf('after', outcome)}
            </td>
            <td>{differenceOf(outcome)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Charts one outcome per second, before and after. */
function Comparison({ outcome, whatIf: { before, after } }: { outcome: Outcome; whatIf: WhatIf }) {
  const t = useTranslations('opsLimits.whatIf');
  const valuesOf = ({ perSecond }: WhatIf['before']) => perSecond.map((second) => second[outcome]);
  return (
    <div className={layout.stack1}>
      <p className={classNames(layout.small, layout.strong)}>{t(`${outcome}PerSecond`)}</p>
      <Chart
        label={t(`${outcome}PerSecond`)}
        summary={t('summary', { before: before[outcome], after: after[outcome] })}
        x={before.perSecond.map(({ at }) => at)}
        series={[
          { label: t('before'), tone: 'ink-soft', values: valuesOf(before), isWide: true },
          {
            label: t('after'),
            tone: outcome === 'admitted' ? 'accent' : 'wait',
            values: valuesOf(after),
          },
        ]}
        lastText={t('last')}
        height={120}
        formatX={useClockFormat()}
        formatY={(count) => t('perSecond', { count })}
      />
    </div>
  );
}
