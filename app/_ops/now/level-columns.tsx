import { useFormatter, useTranslations } from 'next-intl';
import { Badge } from '../../_components/ui/badge';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { levelKey, type RefusalMark } from '../../_live/live-snapshot';
import { useWindowCount } from '../../_window/use-window-count';
import { ModeBadge, PolicyLevel } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import { isAlerting, isOverridden, type LevelRow, rowKey } from './level-activity';
import styles from './level-columns.module.css';

interface Options {
  /** The `rowKey`s of the opened rows. */
  opened: ReadonlySet<string>;
  onToggle(key: string): void;
}

/** Returns the columns of the overview. Their order is fixed: the rows are sorted by load. */
export function useLevelColumns({ opened, onToggle }: Options): Column<LevelRow>[] {
  const t = useTranslations('opsNow.levels');
  const { number } = useFormatter();
  const rate = (perSecond: number) => number(perSecond, { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
  return [
    {
      id: 'level',
      header: t('level'),
      cell: (row) => (
        <button
          type="button"
          className={styles.open}
          aria-expanded={opened.has(rowKey(row))}
          onClick={() => onToggle(rowKey(row))}
        >
          <span aria-hidden="true" className={styles.arrow} />
          <PolicyLevel policy={row.policy.policy} level={row.level.level} />
        </button>
      ),
    },
    { id: 'used', header: t('used'), cell: (row) => <Used row={row} /> },
    {
      id: 'admitted',
      header: t('admitted'),
      kind: 'number',
      cell: ({ admittedPerSecond }) => rate(admittedPerSecond),
    },
    {
      id: 'refused',
      header: t('refused'),
      kind: 'number',
      cell: ({ refusedPerSecond }) =>
        refusedPerSecond > 0 ? <strong className={styles.refused}>{rate(refusedPerSecond)}</strong> : rate(0),
    },
    { id: 'mode', header: t('mode'), cell: (row) => <Mode row={row} /> },
  ];
}

const none: readonly RefusalMark[] = [];

/** Shows the units in a window and its limit. A level by caller shows the window of its top caller. */
function Used({ row: { policy, level } }: { row: LevelRow }) {
  const { number } = useFormatter();
  const window = useLevelWindow(policy.policy, level.level);
  const { used } = useWindowCount(window, { refused: none, holdFullMs: 400 });
  const { limit } = window ?? level.effective;
  return (
    <div className={styles.used}>
      <LimitBar value={used} limit={limit} max={Math.max(used, limit)} />
      <span className={layout.figures}>
        {number(used)} / {number(limit)}
      </span>
    </div>
  );
}

function Mode({ row: { policy, level } }: { row: LevelRow }) {
  const t = useTranslations('opsNow');
  const window = useLevelWindow(policy.policy, level.level);
  const alerts = useOpsFeed(({ event }) => isAlerting(policy.policy, event));
  return (
    <span className={layout.row2}>
      <ModeBadge mode={window?.mode ?? level.mode} />
      {isOverridden(level, window) && <Badge tone="accent">{t('changed')}</Badge>}
      {alerts && <Badge tone="fail">{t('levels.alerting')}</Badge>}
    </span>
  );
}

function useLevelWindow(policy: string, level: string) {
  const key = levelKey({ policy, level });
  return useOpsFeed(({ event }) => event?.windows.find((one) => levelKey(one) === key));
}
