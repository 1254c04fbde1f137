import { type RefObject, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useMediaQuery } from '../_components/ui/use-media-query';
import { useServerClock } from '../_live/live-provider';

interface Options {
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
export function useTravel({ windowMs, isLoaded, trigger }: Options): Travel {
  const clock = useServerClock();
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
function useReducedMotion(): boolean {
  return useMediaQuery('(prefers-reduced-motion: reduce)');
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
export function useFlash(at: number | undefined): RefObject<HTMLDivElement | null> {
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

/** Counts as visible this far outside the viewport, so that animations run before they scroll in. */
const ROOT_MARGIN = '128px';

/** Returns true while the element is in the viewport of a visible tab. */
function useOnScreen(element: RefObject<Element | null>): boolean {
  const [inViewport, setInViewport] = useState(false);
  const isVisible = useSyncExternalStore(
    subscribeToVisibility,
    () => document.visibilityState === 'visible',
    () => false,
  );

  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => setInViewport(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: ROOT_MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  return inViewport && isVisible;
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
