import { useTranslations } from 'next-intl';
import { LimitBar } from '../../_components/ui/bars';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations, usePeriod } from '../../_i18n/use-durations';
import { noMarks } from '../../_live/live-snapshot';
import { HOLD_FULL_MS, useWindowCount } from '../../_window/use-window-count';
import { isEnforced } from '../../_window/window-count';
import { LevelLabel } from '../levels';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import { isAlerting, isOverridden } from './attention';
import type { LevelRow } from './level-activity';
import styles from './level-cells.module.css';
import { useLevelWindow } from './level-mode';

interface CellProps {
  row: LevelRow;
}

/** The name of a level, which opens its row. */
export function OpenLevel({ row, isOpen, onToggle }: CellProps & { isOpen: boolean; onToggle(): void }) {
  const t = useTranslations('opsNow.levels');
  const { policy } = row.policy;
  const alerts = useOpsFeed(({ event }) => isAlerting(policy, event));
  return (
    <span className={styles.name}>
      <button type="button" className={styles.open} aria-expanded={isOpen} onClick={onToggle}>
        <span aria-hidden="true" className={styles.arrow} />
        <LevelLabel policy={policy} level={row.level.level} />
      </button>
      {alerts && <Badge tone="fail">{t('alerting')}</Badge>}
    </span>
  );
}

/** Shows the units in a window and its limit, grey while they are old. A level by caller shows the window of its top caller. */
export function LevelUse({ row }: CellProps) {
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
    <div className={classNames(styles.used, isFull && styles.full, isOld && styles.old)}>
      <LimitBar value={used} limit={limit} max={Math.max(used, limit)} />
      <span className={classNames(layout.figures, styles.figures)}>
        <span>
          {formatCount(used)} / {formatCount(limit)}
          {isFull && ` ${t('full')}`}
        </span>
        <span className={styles.window}>{spanText()}</span>
      </span>
      {isOverridden(row.level, window) && <Declared {...row.level} />}
    </div>
  );
}

/** Shows the default of a changed limit. */
function Declared({ algorithm, declared: { limit, windowMs } }: LevelRow['level']) {
  const t = useTranslations('opsNow.levels');
  const period = usePeriod();
  return (
    <span className={styles.declared}>
      {algorithm === 'in-flight'
        ? t('declaredRunning', { limit })
        : t('declared', { limit, window: period(windowMs) })}
    </span>
  );
}
