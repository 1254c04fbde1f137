import { Ban, Check, TriangleAlert, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { useDurations } from '../../_i18n/use-durations';
import type { TapResult } from './ladder';
import styles from './ladder.module.css';

interface Props {
  /** The violations that warn, and those that ban. */
  policy: { warnAt: number; banAt: number; banMs: number };
  /** The rung of the caller. `undefined` marks none. */
  violations: number | undefined;
  /** The name of that rung. */
  you: string;
  results: readonly TapResult[];
  /** Shown instead of results when there are none. */
  none: string;
  /** True if results arrive one by one, which is announced. Default: false. */
  isLive?: boolean;
  /** The button that climbs the ladder. */
  children: ReactNode;
}

/** A punishment: its button, the results of the calls, and the rungs with the ban at the top and the caller's position. */
export function LadderView({ policy, violations, you, results, none, isLive, children }: Props) {
  const t = useTranslations('labLadder');
  const { length } = useDurations();
  const { warnAt, banAt, banMs } = policy;
  const rungs = Array.from({ length: banAt + 1 }, (_, rung) => banAt - rung);

  function kindOf(rung: number): keyof typeof fills {
    if (rung === 0) return 'free';
    if (rung >= banAt) return 'banned';
    return rung >= warnAt ? 'warned' : 'noted';
  }

  return (
    <>
      <div className={styles.hand}>
        {children}
        <div className={classNames(layout.stack2, layout.top, styles.log)}>
          <h3 className={layout.hint}>{t('results')}</h3>
          <ol
            className={classNames(layout.stack2, layout.top, styles.results)}
            aria-live={isLive ? 'polite' : undefined}
          >
            {results.length === 0 && <li className={layout.hint}>{none}</li>}
            {results.map((result) => (
              <ResultEntry key={result.at} result={result} />
            ))}
          </ol>
        </div>
      </div>
      <ol className={classNames(layout.stack2, styles.rungs)} aria-label={t('rungs')} reversed start={banAt}>
        {rungs.map((rung) => (
          <li
            key={rung}
            className={classNames(
              layout.line3,
              layout.small,
              rung === violations ? fills[kindOf(rung)] : layout.soft,
              styles.rung,
            )}
            aria-current={rung === violations ? 'step' : undefined}
          >
            <span className={classNames(layout.title, layout.figures, layout.strong, styles.number)}>
              {rung}
            </span>
            <span>{t(`rung.${kindOf(rung)}`, { time: length(banMs) })}</span>
            {rung === violations && <span className={classNames(layout.strong, styles.you)}>{you}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** The colour of the caller's rung. */
const fills = {
  free: layout.goodFill,
  noted: layout.muteFill,
  warned: layout.waitFill,
  banned: layout.failFill,
} as const;

const marks = {
  admitted: { tone: 'good', Icon: Check },
  refused: { tone: 'neutral', Icon: X },
  warned: { tone: 'wait', Icon: TriangleAlert },
  banned: { tone: 'fail', Icon: Ban },
} as const;

/** The outcome of a call, with its violation and its wait. */
function ResultEntry({ result }: { result: TapResult }) {
  const t = useTranslations('labLadder');
  const { wait } = useDurations();
  const { outcome } = result;
  const { tone, Icon } = marks[outcome];
  return (
    <li className={classNames(layout.line3, layout.hint, layout.figures)}>
      <Badge tone={tone}>
        <Icon size={14} aria-hidden="true" />
        {t(`outcome.${outcome}`)}
      </Badge>
      {outcome !== 'admitted' && (
        <span>
          {t('result', {
            violations: result.violations,
            time: wait(Math.ceil(result.retryAfterMs / 1_000)),
          })}
        </span>
      )}
    </li>
  );
}
