import dynamic from 'next/dynamic';
import { memo, type RefObject, useEffect, useMemo, useRef } from 'react';
import { classNames } from '../_components/ui/class-names';
import type { Clock } from '../_live/clock';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import type { RefusalMark } from '../_live/refusal-marks';
import { useReducedMotion, useTravel } from './use-travel';
import { countingOf } from './window-count';
import { drawing, drawWindow } from './window-drawing';
import styles from './window-strip.module.css';

const QueueLane = dynamic(async () => (await import('./queue-lane')).QueueLane, { loading: () => null });

interface Props {
  window: Omit<LiveWindow, 'policy' | 'level'>;
  /** Units in use now. */
  used: number;
  clock: Clock;
  /** No unit fits. */
  isFull: boolean;
  /** Newer calls may be missing. */
  isStale: boolean;
  refused: readonly RefusalMark[];
  /** The queue behind the window, while tickets wait. */
  queue?: LiveQueue | undefined;
  /** The turn of the visitor's own ticket. */
  ownTurnAt?: number | undefined;
  /** That turn is near the end of the lane of the queue. Default: false. */
  isOwnFar?: boolean;
  /** That turn is later than the lane shows. Default: false. */
  isOwnLater?: boolean;
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
  clock,
  isFull,
  isStale,
  refused,
  queue,
  ownTurnAt,
  isOwnFar = false,
  isOwnLater = false,
}: Props) {
  const { limit, windowMs, hits } = window;
  const isTimed = countingOf(window) === 'sliding';
  const isLoaded = used > 0 && hits.length > 0;
  const { frame, track, base } = useTravel({ clock, windowMs, isLoaded, trigger: hits });
  const { path, kind, bursts } = useMemo(() => drawWindow(window, { base }), [window, base]);
  const share = limit > 0 ? Math.min(1, used / limit) : 1;

  return (
    <div
      className={classNames(
        styles.lane,
        isFull && styles.full,
        queue && styles.queued,
        isStale && styles.stale,
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
        </div>
        {isTimed && <div className={styles.age} />}
      </div>
      <div className={styles.gate}>
        <div className={styles.door} />
      </div>
      <GateMarks refused={refused} />
      {queue && (
        <QueueLane
          queue={queue}
          window={window}
          clock={clock}
          ownTurnAt={ownTurnAt}
          isOwnFar={isOwnFar}
          isOwnLater={isOwnLater}
        />
      )}
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

const FLASH_MS = 700;
/** More than the time between two updates of a flood, less than a flash. */
const NEXT_WITHIN_MS = 600;
const steady = { opacity: [1, 1] };
const bouncing = {
  opacity: [1, 1, 0],
  transform: ['translateX(0)', 'translateX(60%)', 'translateX(80%)'],
};
const flashing = {
  duration: FLASH_MS,
  easing: 'cubic-bezier(0.2, 0, 0.4, 1)',
  iterations: Number.POSITIVE_INFINITY,
};

/**
 * Flashes an element at an instant, and repeats it while the instant changes. In a flood it is a single animation: to start
 * one costs a frame of the main thread, and to replace it a second one.
 */
function useFlash(at: number | undefined): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const animation = useRef<Animation>(undefined);
  const isReduced = useReducedMotion();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another preference needs another animation
  useEffect(
    () => () => {
      animation.current?.cancel();
      animation.current = undefined;
    },
    [isReduced],
  );

  useEffect(() => {
    if (at === undefined) return;
    const running = animation.current?.playState === 'running' ? animation.current : undefined;
    animation.current = running ?? element.current?.animate(isReduced ? steady : bouncing, flashing);
    if (running?.effect?.getTiming().iterations !== flashing.iterations)
      running?.effect?.updateTiming(flashing);
    const timer = setTimeout(() => {
      // The flash that is shown is the last one.
      const played = Number(animation.current?.currentTime ?? 0);
      animation.current?.effect?.updateTiming({ iterations: Math.max(1, Math.ceil(played / FLASH_MS)) });
    }, NEXT_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [at, isReduced]);

  return element;
}
