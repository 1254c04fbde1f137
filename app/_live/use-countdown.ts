import { useCallback } from 'react';
import type { Clock } from './clock';
import { useNow } from './use-now';

interface Options {
  clock: Clock;
  /** The end, on that clock; `undefined` if there is none. */
  until: number | undefined;
  /** The time of the first render. Default: the end, so that the countdown starts at 0 until the first tick. */
  initial?: number;
}

/** Returns the whole seconds until an instant, rounded up; 0 afterwards or without one. */
export function useCountdown({ clock, until, initial = until ?? 0 }: Options): number {
  const nextAt = useCallback(
    (now: number) => {
      if (until === undefined || now >= until) return undefined;
      return until - (secondsUntil(until, now) - 1) * 1_000;
    },
    [until],
  );
  return secondsUntil(until, useNow({ clock, initial, nextAt }));
}

function secondsUntil(until: number | undefined, now: number): number {
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1_000));
}
