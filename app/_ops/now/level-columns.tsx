import { useTranslations } from 'next-intl';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { formatPercent } from '../format-percent';
import { ChangeLimitButton } from '../limits/change-limit-button';
import { type LevelRow, rowKey } from './level-activity';
import { LevelUse, OpenLevel } from './level-cells';
import { LevelMode } from './level-mode';
import { LevelTraffic } from './level-traffic';
import { sumOf } from './sum-of';
import { useIsOutage } from './use-outage-text';

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
      cell: ({ policy, level }) => <ChangeLimitButton policy={policy.policy} level={level.level} />,
    },
  ];
}
