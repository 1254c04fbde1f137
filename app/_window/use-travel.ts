import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useOnScreen } from '../_components/ui/use-on-screen';
import type { Clock } from '../_live/clock';
import { useCalm } from './use-calm';

interface Options {
  clock: Clock;
  windowMs: number;
  /** There is something to carry. */
  isLoaded: boolean;
  /** Changes whenever the window is told anew: the moment to notice that the clock has been corrected. */
  told: unknown;
}

interface Travel {
  /** What is seen of it: stands still, so that looking for it on the screen costs nothing. */
  frame: RefObject<HTMLDivElement | null>;
  /** The element that moves: two windows wide. */
  track: RefObject<HTMLDivElement | null>;
  /** The instant in the middle of the track. */
  base: number;
}

const calmStepMs = 1_000;
/** A clock that was wrong by less than this is put right when the next window begins, where nobody sees it. */
const unseenDriftMs = 150;

/**
 * Carries a track one window to the left in the time of one window, then starts over from a new base. One transform on
 * one element, left to the compositor: between two bases the main thread has nothing to do. It rests while nobody can see
 * it or nothing is on it; for who wants less motion it moves in steps of a second.
 */
export function useTravel({ clock, windowMs, isLoaded, told }: Options): Travel {
  const frame = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const animation = useRef<Animation>(undefined);
  const [base, setBase] = useState(0);
  const isCalm = useCalm();
  const isMoving = useOnScreen(frame) && isLoaded;

  useEffect(() => {
    if (!isMoving) return;
    setBase(clock.now());
    if (!isCalm) return;
    const steps = setInterval(() => setBase(clock.now()), calmStepMs);
    return () => clearInterval(steps);
  }, [clock, isMoving, isCalm]);

  // Before the paint, so that a new base and the way travelled since then are never seen apart.
  useLayoutEffect(() => {
    if (!isMoving || isCalm || !track.current) return;
    const travel = track.current.animate(
      { transform: ['translateX(0)', 'translateX(-50%)'] },
      { duration: windowMs, fill: 'forwards' },
    );
    travel.currentTime = clock.now() - base;
    travel.onfinish = () => setBase(clock.now());
    animation.current = travel;
    return () => travel.cancel();
  }, [clock, windowMs, base, isMoving, isCalm]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `told` is what makes it look again
  useEffect(() => {
    const travel = animation.current;
    if (travel?.playState !== 'running') return;
    const elapsed = clock.now() - base;
    if (Math.abs(elapsed - Number(travel.currentTime)) > unseenDriftMs) travel.currentTime = elapsed;
  }, [clock, base, told]);

  return { frame, track, base };
}
