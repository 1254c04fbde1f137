import dynamic from 'next/dynamic';
import { memo, useMemo } from 'react';
import { classNames } from '../_components/ui/class-names';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import type { RefusalMark } from '../_live/refusal-marks';
import styles from './strip.module.css';
import { useFlash, useTravel } from './strip-motion';
import { countingOf } from './window-count';
import { Drawing, drawWindow } from './window-drawing';

const QueueLane = dynamic(async () => (await import('./queue-lane')).QueueLane, { loading: () => null });

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
