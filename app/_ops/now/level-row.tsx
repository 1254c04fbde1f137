import { useTranslations } from 'next-intl';
import { Badge } from '../../_components/ui/badge';
import { useServerClock } from '../../_live/live-provider';
import { levelKey, type RefusalMark } from '../../_live/live-snapshot';
import { SlidingMeter } from '../../_window/sliding-meter';
import { useOpsFeed } from '../live/ops-feed-provider';
import { ModeBadge } from '../mode-badge';
import type { Level } from '../types';
import { useLevelName } from '../use-level-name';
import styles from './level-row.module.css';
import { OutcomeChart } from './outcome-chart';

interface Props {
  policy: string;
  /** The level at rendering; the feed has newer values. */
  level: Level;
}

/** A full window stays shown as full between two events of the feed (250 ms apart) and their delay. */
const HOLD_FULL_MS = 400;
const none: readonly RefusalMark[] = [];

/** Shows a level: its window, and its decisions per second. */
export function LevelRow({ policy, level: { level, mode, declared } }: Props) {
  const t = useTranslations('opsNow');
  const levelName = useLevelName();
  useServerClock();
  const window = useOpsFeed(({ event }) =>
    event?.windows.find((one) => one.policy === policy && one.level === level),
  );
  const isShared = level === 'global';
  const refused = useOpsFeed((snapshot) =>
    isShared ? (snapshot.refused[levelKey({ policy, level })] ?? none) : none,
  );
  const isStale = useOpsFeed(({ status, event }) => status === 'stale' || event?.stale === true);
  const isChanged = window && (window.limit !== declared.limit || window.windowMs !== declared.windowMs);

  function whose(): string {
    if (isShared) return t('everyone');
    return window?.subject ? t('top', { subject: window.subject.subject }) : t('noCallers');
  }

  return (
    <div className={styles.level}>
      <div className={styles.window}>
        <div className={styles.head}>
          <h3 className={styles.name}>{levelName(level)}</h3>
          {isChanged && <Badge tone="water">{t('changed')}</Badge>}
          <ModeBadge mode={window?.mode ?? mode} />
        </div>
        <SlidingMeter
          whose={whose()}
          window={window}
          refused={refused}
          isStale={isStale}
          holdFullMs={isShared ? HOLD_FULL_MS : 0}
          unknown={t('waiting')}
          isAnnounced={false}
        />
      </div>
      <OutcomeChart policy={policy} level={level} />
    </div>
  );
}
