import { useFormatter, useTranslations } from 'next-intl';
import { LaneMarks } from '../lanes/lane-marks';
import type { CallGroup } from '../types';
import styles from './group-lanes.module.css';

interface Props {
  names: readonly string[];
  /** In the order of the names. `undefined` before the first run. */
  groups: readonly CallGroup[] | undefined;
  spanMs: number;
  windowMs: number;
}

/** One lane for each group of callers, with its tally and its refused callers. Each lane has a scale of its own. */
export function GroupLanes({ names, groups, spanMs, windowMs }: Props) {
  const t = useTranslations('labMistakes.group');
  const { list } = useFormatter();
  const listCallers = ({ refused }: CallGroup) =>
    list(
      refused.map(({ caller, calls }) => t('caller', { caller, count: calls })),
      { type: 'conjunction', style: 'narrow' },
    );

  return (
    <ul className={styles.groups}>
      {names.map((name, index) => {
        const group = groups?.[index];
        return (
          <li key={name}>
            <p className={styles.head}>
              <span>{name}</span>
              <span className={styles.tally}>{group ? t('tally', tallyOf(group)) : '–'}</span>
            </p>
            <LaneMarks
              spanMs={spanMs}
              windowMs={windowMs}
              above={group?.admittedAt ?? noTimes}
              below={group?.refusedAt ?? noTimes}
            />
            {group && group.refused.length > 0 && (
              <p className={styles.refused}>{t('refused', { callers: listCallers(group) })}</p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const noTimes: readonly number[] = [];

function tallyOf({ admittedAt, refusedAt }: CallGroup) {
  return { admitted: admittedAt.length, count: admittedAt.length + refusedAt.length };
}
