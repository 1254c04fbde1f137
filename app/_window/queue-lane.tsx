import { useTranslations } from 'next-intl';
import { memo, useMemo } from 'react';
import { classNames } from '../_components/ui/class-names';
import type { Clock } from '../_live/clock';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import styles from './queue-lane.module.css';
import { drawQueue, QUEUE_SHARE, turnPosition } from './queue-turns';
import { useTravel } from './use-travel';
import { drawing } from './window-drawing';

interface Props {
  queue: LiveQueue;
  window: Omit<LiveWindow, 'policy' | 'level'>;
  clock: Clock;
  /** The turn of the visitor's own ticket. */
  ownTurnAt: number | undefined;
  /** That turn is near the end of the lane: its label is to the left. */
  isOwnFar: boolean;
  /** That turn is later than the lane shows. */
  isOwnLater: boolean;
}

/**
 * Draws the tickets that wait for a window to the right of *now*, each at its turn and on the same scale of time as the
 * window, so that a ticket slides through the gate at the speed of the hits.
 */
export const QueueLane = memo(function QueueLane(props: Props) {
  const { queue, window, clock, ownTurnAt, isOwnFar, isOwnLater } = props;
  const t = useTranslations('windows');
  const { windowMs } = window;
  const { frame, track, base } = useTravel({ clock, windowMs, isLoaded: true, trigger: queue.version });
  const { path, kind, bursts } = useMemo(() => drawQueue(queue, { window, base }), [queue, window, base]);
  const own = ownTurnAt === undefined ? undefined : turnPosition(ownTurnAt, { base, windowMs });

  return (
    <div ref={frame} className={styles.lane} style={{ flexGrow: QUEUE_SHARE }}>
      <div ref={track} className={styles.track} style={{ width: `${200 / QUEUE_SHARE}%` }}>
        <svg
          aria-hidden="true"
          className={styles.drawing}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
          preserveAspectRatio="none"
        >
          <path className={styles[kind]} d={path} />
        </svg>
        {bursts.map(({ at, position, count }) => (
          <span key={at} className={styles.burst} style={{ left: `${position * 100}%` }}>
            ×{count}
          </span>
        ))}
        {own !== undefined && own >= 0 && own < 1 && !isOwnLater && (
          <span
            className={classNames(styles.own, isOwnFar && styles.ownFar)}
            style={{ left: `${own * 100}%` }}
          >
            {t('ownTurn')}
          </span>
        )}
      </div>
      <div className={styles.later} />
      {isOwnLater && <span className={classNames(styles.own, styles.ownLater)}>{t('ownTurn')} ›</span>}
    </div>
  );
});
