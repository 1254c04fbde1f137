import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { memo, useMemo } from 'react';
import { classNames } from '../_components/ui/class-names';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { useTRPC } from '../_trpc/client';
import styles from './strip.module.css';
import { useTravel } from './strip-motion';
import { Drawing, drawQueue, QUEUE_SHARE, turnPosition } from './window-drawing';

interface LaneProps {
  queue: LiveQueue;
  window: LiveWindow;
}

/** From this share of the window on, the label of the visitor's ticket would be cut at the end of the lane. */
const FAR_SHARE = 0.6 * QUEUE_SHARE;

/**
 * Draws the tickets that wait for a window to the right of *now*, each at its turn and on the same scale of time as the
 * window, so that a ticket slides through the gate at the speed of the hits.
 */
export const QueueLane = memo(function QueueLane({ queue, window }: LaneProps) {
  const t = useTranslations('windows');
  const { windowMs } = window;
  const { frame, track, base } = useTravel({ windowMs, isLoaded: true, trigger: queue.version });
  const drawn = useMemo(() => drawQueue(queue, { window, base }), [queue, window, base]);
  const turnAt = useOwnTurn();
  const waitMs = 1_000 * useCountdown({ clock: useServerClock(), until: turnAt });
  const position = turnAt === undefined ? -1 : turnPosition(turnAt, { base, windowMs });
  const isLater = waitMs > QUEUE_SHARE * windowMs;
  const isFar = waitMs > FAR_SHARE * windowMs;

  return (
    <div ref={frame} className={styles.queue} style={{ flexGrow: QUEUE_SHARE }}>
      <div ref={track} className={styles.track} style={{ width: `${200 / QUEUE_SHARE}%` }}>
        <Drawing {...drawn} />
        {position >= 0 && position < 1 && !isLater && (
          <span
            className={classNames(styles.ownTurn, isFar && styles.ownTurnFar)}
            style={{ left: `${position * 100}%` }}
          >
            {t('ownTurn')}
          </span>
        )}
      </div>
      <div className={styles.queueEnd} />
      {isLater && <span className={classNames(styles.ownTurn, styles.ownTurnLater)}>{t('ownTurn')} ›</span>}
    </div>
  );
});

/** Returns the next turn of the visitor's tickets, as the page has read them. Reads nothing itself. */
function useOwnTurn(): number | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.queue.mine.queryOptions(undefined, { enabled: false }));
  const turns = (data?.tickets ?? []).flatMap((ticket) =>
    ticket.state === 'waiting' ? [ticket.turnAt] : [],
  );
  return turns.length > 0 ? Math.min(...turns) : undefined;
}
