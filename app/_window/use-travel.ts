import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useMediaQuery } from '../_components/ui/use-media-query';
import { useOnScreen } from '../_components/ui/use-on-screen';
import type { Clock } from '../_live/clock';

interface Options {
  clock: Clock;
  windowMs: number;
  /** The track has content. */
  isLoaded: boolean;
  /** Changes with every update of the window. Each change checks for a clock correction. */
  trigger: unknown;
}

interface Travel {
  /** The visible frame. It does not move, so observing its visibility is cheap. */
  frame: RefObject<HTMLDivElement | null>;
  /** The moving element, two windows wide. */
  track: RefObject<HTMLDivElement | null>;
  /** The instant at the centre of the track. */
  base: number;
}

const REDUCED_STEP_MS = 1_000;
/** A smaller clock error is corrected at the start of the next window, where it is invisible. */
const MAX_DRIFT_MS = 150;

/**
 * Moves a track one window to the left per window, then starts over from a new base. It uses one transform on the
 * compositor, so the main thread is idle between two bases. It rests while invisible or empty. With reduced motion it
 * moves once a second and with each update.
 */
export function useTravel({ clock, windowMs, isLoaded, trigger }: Options): Travel {
  const frame = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const animation = useRef<Animation>(undefined);
  const [base, setBase] = useState(0);
  const isReduced = useReducedMotion();
  const isMoving = useOnScreen(frame) && isLoaded;

  useEffect(() => {
    if (!isMoving) return;
    setBase(clock.now());
    if (!isReduced) return;
    const steps = setInterval(() => setBase(clock.now()), REDUCED_STEP_MS);
    return () => clearInterval(steps);
  }, [clock, isMoving, isReduced]);

  // A newer hit would be beyond the end of a track that moves in steps.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `trigger` is the update
  useLayoutEffect(() => {
    if (isMoving && isReduced) setBase(clock.now());
  }, [clock, isMoving, isReduced, trigger]);

  // Before the paint, so that the new base and its offset appear together.
  useLayoutEffect(() => {
    if (!isMoving || isReduced || !track.current) return;
    const travel = track.current.animate(
      { transform: ['translateX(0)', 'translateX(-50%)'] },
      { duration: windowMs, fill: 'forwards' },
    );
    travel.currentTime = clock.now() - base;
    travel.onfinish = () => setBase(clock.now());
    animation.current = travel;
    return () => travel.cancel();
  }, [clock, windowMs, base, isMoving, isReduced]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `trigger` starts the check
  useEffect(() => {
    const travel = animation.current;
    if (travel?.playState !== 'running') return;
    const elapsed = clock.now() - base;
    if (Math.abs(elapsed - Number(travel.currentTime)) > MAX_DRIFT_MS) travel.currentTime = elapsed;
  }, [clock, base, trigger]);

  return { frame, track, base };
}

/** Returns true if the visitor prefers reduced motion. */
export function useReducedMotion(): boolean {
  return useMediaQuery('(prefers-reduced-motion: reduce)');
}
