import { useTranslations } from 'next-intl';
import { Badge } from '../../_components/ui/badge';
import { useServerClock } from '../../_live/live-provider';
import { levelName, type RefusedMark } from '../../_live/live-snapshot';
import { SlidingMeter } from '../../_window/sliding-meter';
import { useOpsFeed } from '../live/ops-feed-provider';
import { ModeBadge } from '../mode-badge';
import type { Level } from '../types';
import { useLevelWords } from '../use-level-words';
import styles from './level-row.module.css';
import { OutcomeChart } from './outcome-chart';

interface Props {
  policy: string;
  /** As it was when the page was made; the feed knows better. */
  level: Level;
}

/** The feed speaks four times a second, and takes a moment to arrive. */
const staysFullMs = 400;
const none: readonly RefusedMark[] = [];

/** One level as it is now: its window, and what it decided each second. */
export function LevelRow({ policy, level: { level, mode, declared } }: Props) {
  const t = useTranslations('opsNow');
  const levelWords = useLevelWords();
  useServerClock();
  const window = useOpsFeed(({ event }) =>
    event?.windows.find((one) => one.policy === policy && one.level === level),
  );
  const isShared = level === 'global';
  const refused = useOpsFeed((snapshot) =>
    isShared ? (snapshot.refused[levelName({ policy, level })] ?? none) : none,
  );
  const isStale = useOpsFeed(({ status, event }) => status === 'stale' || event?.stale === true);
  const isTuned = window && (window.limit !== declared.limit || window.windowMs !== declared.windowMs);

  function whose(): string {
    if (isShared) return t('everyone');
    return window?.subject ? t('fullest', { subject: window.subject.subject }) : t('nobody');
  }

  return (
    <div className={styles.level}>
      <div className={styles.window}>
        <div className={styles.head}>
          <h3 className={styles.name}>{levelWords(level)}</h3>
          {isTuned && <Badge tone="water">{t('tuned')}</Badge>}
          <ModeBadge mode={window?.mode ?? mode} />
        </div>
        <SlidingMeter
          whose={whose()}
          window={window}
          refused={refused}
          isStale={isStale}
          staysFullMs={isShared ? staysFullMs : 0}
          unknown={t('waiting')}
          isSpoken={false}
        />
      </div>
      <OutcomeChart policy={policy} level={level} />
    </div>
  );
}
