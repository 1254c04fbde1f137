import { memo, useMemo } from 'react';
import { classNames } from '../_components/ui/class-names';
import type { Clock } from '../_live/clock';
import type { LiveWindow } from '../_live/live-event';
import type { RefusedMark } from '../_live/live-snapshot';
import { countingOf } from './counting';
import { GateMarks } from './gate-marks';
import { useTravel } from './use-travel';
import { drawing, drawWindow } from './window-drawing';
import styles from './window-strip.module.css';

interface Props {
  window: Omit<LiveWindow, 'policy' | 'level'>;
  /** Units in it now. */
  used: number;
  clock: Clock;
  /** No unit fits: the gate is shut. */
  isFull: boolean;
  /** Newer calls may be missing. */
  isStale: boolean;
  refused: readonly RefusedMark[];
}

/** In a window of so few the water makes steps that the eye would stumble over; in others it would never come to rest. */
const fewUnits = 20;

/**
 * A window as a strip of time. On its right is the gate, which is now; what it admits travels to the left and falls off
 * when it is as old as the window. The water stands as high as the window is full, and at the brim the gate shuts. A
 * bucket or a fixed window has no hits to carry: its strip is the water alone.
 */
export const WindowStrip = memo(function WindowStrip({
  window,
  used,
  clock,
  isFull,
  isStale,
  refused,
}: Props) {
  const { limit, windowMs, hits } = window;
  const isTimed = countingOf(window) === 'sliding';
  const isLoaded = used > 0 && hits.length > 0;
  const { frame, track, base } = useTravel({ clock, windowMs, isLoaded, told: hits });
  const { path, kind, bursts } = useMemo(() => drawWindow(window, { base }), [window, base]);
  const share = limit > 0 ? Math.min(1, used / limit) : 1;

  return (
    <div
      className={classNames(styles.lane, isFull && styles.full, isStale && styles.stale)}
      aria-hidden="true"
    >
      <div ref={frame} className={styles.strip}>
        <div
          className={classNames(styles.water, limit <= fewUnits && styles.calm)}
          style={{ translate: `0 ${(1 - share) * 100}%` }}
        />
        {isTimed && <div className={styles.seconds} />}
        {/* A track that carries nothing rests where it began, and what has left must not be seen there again. */}
        <div ref={track} className={styles.track} hidden={!isLoaded}>
          <svg
            aria-hidden="true"
            className={styles.drawing}
            viewBox={`0 0 ${drawing.width} ${drawing.height}`}
            preserveAspectRatio="none"
          >
            <path className={styles[kind]} d={path} />
          </svg>
          {bursts.map(({ at, place, count }) => (
            <span key={at} className={styles.burst} style={{ left: `${place * 100}%` }}>
              ×{count}
            </span>
          ))}
        </div>
        {isTimed && <div className={styles.age} />}
      </div>
      <div className={styles.gate}>
        <div className={styles.door} />
      </div>
      <GateMarks refused={refused} />
    </div>
  );
});
