import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { Badge } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations, usePeriod } from '../../_i18n/use-durations';
import { noMarks } from '../../_live/refusal-marks';
import { HOLD_FULL_MS, useWindowCount } from '../../_window/use-window-count';
import { isEnforced } from '../../_window/window-count';
import { formatPercent, formatRate } from '../formats';
import { useIsOutage } from '../health';
import { isOverridden, LevelLabel, LevelLease, LevelMode, useLevelWindow } from '../levels';
import { ChangeLimitButton } from '../limits/limit-dialog-provider';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import { sumOf } from './activity';
import { isAlerting, type LevelRow, rowKey } from './level-rows';
import styles from './now.module.css';
import { Sparkline } from './sparkline';

interface Options {
  /** The `rowKey`s of the opened rows. */
  opened: readonly string[];
  onToggle(key: string): void;
  /** Returns the text that sorts a row by its name. */
  nameOf(row: LevelRow): string;
  /** Returns the used share of a row's limit. */
  usedShareOf(row: LevelRow): number;
}

/** Returns the columns of the overview. */
export function useLevelColumns({ opened, onToggle, nameOf, usedShareOf }: Options): Column<LevelRow>[] {
  const t = useTranslations('opsNow.levels');
  const tOutage = useTranslations('ops.outage');
  const isOutage = useIsOutage();
  const percent = (share: number | undefined) => (share === undefined ? '–' : formatPercent(share));
  return [
    {
      id: 'level',
      // It has the rest of the width: on a wide screen, a level and its code take one line.
      header: t('level'),
      sortBy: nameOf,
      cell: (row) => (
        <OpenLevel row={row} isOpen={opened.includes(rowKey(row))} onToggle={() => onToggle(rowKey(row))} />
      ),
    },
    {
      id: 'used',
      width: '14rem',
      card: 'line',
      header: t('used'),
      sortBy: usedShareOf,
      sortFirst: 'desc',
      cell: (row) => <LevelUse row={row} />,
    },
    {
      id: 'traffic',
      width: '15.75rem',
      header: t('traffic'),
      card: 'line',
      sortBy: ({ spark }) => sumOf(spark.admitted) + sumOf(spark.refused),
      sortFirst: 'desc',
      cell: (row) => <LevelTraffic row={row} />,
    },
    {
      id: 'time',
      width: '7.5rem',
      header: t('time'),
      kind: 'number',
      sortBy: ({ timeShare, isFirstOfPolicy }) => (isFirstOfPolicy ? timeShare : undefined),
      // A decision charges all levels of its policy at once, so its time belongs to none of them.
      cell: ({ timeShare, isFirstOfPolicy }) =>
        isFirstOfPolicy || timeShare === undefined ? (
          percent(timeShare)
        ) : (
          <span className={layout.hint}>{t('timeShared')}</span>
        ),
    },
    {
      id: 'mode',
      width: '6.5rem',
      card: 'end',
      header: isOutage ? tOutage('column') : t('mode'),
      cell: ({ policy, level }) => <LevelMode policy={policy.policy} level={level} />,
    },
    {
      id: 'change',
      width: '6.75rem',
      card: 'end',
      header: t('actions'),
      cell: (row) => <ChangeLevel row={row} />,
    },
  ];
}

/** Opens the dialog of a level with the limit that its row shows. */
function ChangeLevel({ row: { policy, level } }: { row: LevelRow }) {
  const window = useLevelWindow(policy.policy, level);
  const effective = window ? { limit: window.limit, windowMs: window.windowMs } : level.effective;
  return <ChangeLimitButton policy={policy.policy} level={level.level} known={{ ...level, effective }} />;
}

interface CellProps {
  row: LevelRow;
}

/** The name of a level, which opens its row. */
function OpenLevel({ row, isOpen, onToggle }: CellProps & { isOpen: boolean; onToggle(): void }) {
  const t = useTranslations('opsNow.levels');
  const { policy } = row.policy;
  const alerts = useOpsFeed(({ event }) => isAlerting(policy, event));
  return (
    <span className={layout.inline2}>
      <button
        type="button"
        className={classNames(layout.inline2, styles.open)}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <span aria-hidden="true" className={styles.arrow} />
        <LevelLabel policy={policy} level={row.level.level} isJoined={row.isJoined} />
      </button>
      {alerts && <Badge tone="fail">{t('alerting')}</Badge>}
    </span>
  );
}

/** Shows the units in a window and its limit, grey while they are old. A level by caller shows the window of its top caller. */
function LevelUse({ row }: CellProps) {
  const t = useTranslations('opsNow.levels');
  const { length } = useDurations();
  const window = useLevelWindow(row.policy.policy, row.level);
  const { used } = useWindowCount(window, { refused: noMarks, holdFullMs: HOLD_FULL_MS });
  const { limit, windowMs } = window ?? row.level.effective;
  // As in the order of the rows: a window in shadow refuses no one.
  const isFull = used >= limit && (window ? isEnforced(window) : row.level.mode === 'enforce');
  const words = row.level.countsAll ? 'inWindow' : 'busiest';
  const isOld = useOpsStatus() === 'stale';

  function spanText(): string {
    if (isOld) return t('lastKnown');
    return row.level.algorithm === 'in-flight' ? t('running') : t(words, { window: length(windowMs) });
  }

  return (
    <div className={classNames(styles.use, isFull && styles.useFull, isOld && styles.useOld)}>
      <LimitBar value={used} limit={limit} max={Math.max(used, limit)} />
      <span className={classNames(layout.figures, styles.lines)}>
        <span>
          {formatCount(used)} / {formatCount(limit)}
          {isFull && ` ${t('full')}`}
        </span>
        <span className={classNames(layout.soft, styles.thin)}>{spanText()}</span>
      </span>
      {isOverridden(row.level, window) && <Declared {...row.level} />}
      {row.level.lease && (
        <span className={layout.whole}>
          <LevelLease policy={row.policy.policy} level={row.level} />
        </span>
      )}
    </div>
  );
}

/** Shows the default of a changed limit. */
function Declared({ algorithm, declared: { limit, windowMs } }: LevelRow['level']) {
  const t = useTranslations('opsNow.levels');
  const period = usePeriod();
  return (
    <span className={classNames(layout.hint, layout.whole, styles.thin)}>
      {algorithm === 'in-flight'
        ? t('declaredRunning', { limit })
        : t('declared', { limit, window: period(windowMs) })}
    </span>
  );
}

/**
 * Shows what a level admits and refuses per second: ten minutes as bars, their busiest second, and the average of the last
 * ten seconds.
 */
function LevelTraffic({ row: { spark, peakPerSecond, admittedPerSecond, refusedPerSecond } }: CellProps) {
  const t = useTranslations('opsNow.levels');
  const isKnown = useOpsStatus() === 'live';
  const rate = (perSecond: number) => (isKnown ? formatRate(perSecond) : '–');
  return (
    <div className={styles.traffic}>
      <span className={classNames(layout.figures, layout.soft, styles.peak)}>
        {peakPerSecond > 0 && t('peak', { rate: formatRate(peakPerSecond) })}
      </span>
      <div className={styles.rowSpark}>
        <Sparkline {...spark} peakPerSecond={peakPerSecond} />
      </div>
      <span className={classNames(layout.figures, styles.lines, styles.rates)}>
        <span>{t('admitted', { rate: rate(admittedPerSecond) })}</span>
        <span className={isKnown && refusedPerSecond > 0 ? styles.refusedRate : layout.soft}>
          {t('refused', { rate: rate(refusedPerSecond) })}
        </span>
      </span>
    </div>
  );
}
