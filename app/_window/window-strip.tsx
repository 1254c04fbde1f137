import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { memo, useMemo } from 'react';
import { classNames } from '../_components/ui/class-names';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import type { RefusalMark } from '../_live/refusal-marks';
import { useCountdown } from '../_live/use-now';
import { useTRPC } from '../_trpc/client';
import styles from './strip.module.css';
import { useFlash, useTravel } from './strip-motion';
import { countingOf } from './window-count';
import {
  drawing,
  drawQueue,
  drawWindow,
  QUEUE_SHARE,
  turnPosition,
  type WindowDrawing,
} from './window-drawing';

interface Props {
  window: LiveWindow;
  /** Units in use now. */
  used: number;
  /** No unit fits. */
  isFull: boolean;
  /** Newer calls may be missing. */
  isStale: boolean;
  refused: readonly RefusalMark[];
  /** The queue behind the window, while tickets wait. */
  queue?: LiveQueue | undefined;
}

/** The water level animates its steps up to this limit. Above it, the animation would never end. */
const MAX_ANIMATED_LIMIT = 20;

/**
 * Draws a window as a strip of time. The right end is now; admitted calls move left and leave at the age of the
 * window. The water level shows the fill, and a full window shuts the gate. A bucket or a fixed window has no hits,
 * so it shows the water level only. Tickets that wait are to the right of the gate.
 */
export const WindowStrip = memo(function WindowStrip({
  window,
  used,
  isFull,
  isStale,
  refused,
  queue,
}: Props) {
  const { limit, windowMs, hits } = window;
  const isTimed = countingOf(window) === 'sliding';
  const isLoaded = used > 0 && hits.length > 0;
  const { frame, track, base } = useTravel({ windowMs, isLoaded, trigger: hits });
  const drawn = useMemo(() => drawWindow(window, { base }), [window, base]);
  const share = limit > 0 ? Math.min(1, used / limit) : 1;

  return (
    <div
      className={classNames(
        styles.lane,
        isFull && styles.laneFull,
        queue && styles.laneQueued,
        isStale && styles.laneStale,
      )}
      aria-hidden="true"
    >
      <div ref={frame} className={styles.strip}>
        <div
          className={classNames(styles.water, limit <= MAX_ANIMATED_LIMIT && styles.calm)}
          style={{ translate: `0 ${(1 - share) * 100}%` }}
        />
        {isTimed && <div className={styles.tenths} />}
        {/* An empty track returns to its start, where hits that have left would be visible again. */}
        <div ref={track} className={styles.track} hidden={!isLoaded}>
          <Drawing {...drawn} />
        </div>
        {isTimed && <div className={styles.age} />}
      </div>
      <div className={styles.gate}>
        <div className={styles.door} />
      </div>
      <GateMarks refused={refused} />
      {queue && <QueueLane queue={queue} window={window} />}
    </div>
  );
});

/** Draws the hits of a track, or the tickets of a lane. */
function Drawing({ path, kind, bursts }: WindowDrawing) {
  return (
    <>
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
    </>
  );
}

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
const QueueLane = memo(function QueueLane({ queue, window }: LaneProps) {
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

/** Heights of the strokes in percent, in an order that spreads any number of them evenly. */
const heights = [50, 22, 76, 36, 90, 10, 63, 30, 83];

/** Draws the newest refused calls as strokes that bounce off the gate, at most nine. */
function GateMarks({ refused }: { refused: readonly RefusalMark[] }) {
  const newest = refused.at(-1);
  const flash = useFlash(newest?.at);
  const strokes = heights.slice(0, newest?.count ?? 0);

  return (
    <div className={styles.apron}>
      <div ref={flash} className={styles.flash}>
        <svg aria-hidden="true" className={styles.strokes} viewBox="0 0 100 100" preserveAspectRatio="none">
          <path d={strokes.map((height, index) => `M${index % 2 ? 18 : 6} ${height}h44`).join('')} />
        </svg>
      </div>
    </div>
  );
}
