import { useCallback } from 'react';
import type { Clock } from './clock';
import { useNow } from './use-now';

interface Options {
  clock: Clock;
  /** An instant of that clock; `undefined` where nothing is awaited. */
  until: number | undefined;
  /** The instant of the first render; default: the end, so that nothing is awaited before the first tick. */
  initial?: number;
}

/** Whole seconds until an instant, rounded up; 0 from that instant on, and where there is none. */
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
