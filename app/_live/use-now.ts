import { useCallback, useEffect, useRef, useState } from 'react';
import type { Clock } from './clock';

interface Options {
  clock: Clock;
  /** The time of the first render, which must be equal on the server and in the browser. */
  initial: number;
  /**
   * Returns the next instant at which the picture changes, or `undefined` if it never does. Keep its identity stable.
   */
  nextAt: (now: number) => number | undefined;
}

/** Returns the current time and updates it exactly when the picture drawn from it changes. */
export function useNow({ clock, initial, nextAt }: Options): number {
  const [now, setNow] = useState(initial);
  const [drawnFor, setDrawnFor] = useState(() => nextAt);
  const drawn = useRef(now);

  // The content has changed since the last tick. Update at once, or one frame would show it at an old time.
  if (drawnFor !== nextAt) {
    setDrawnFor(() => nextAt);
    setNow(clock.now());
  }

  useEffect(() => {
    drawn.current = now;
  }, [now]);
  useEffect(() => scheduleRedraws({ clock, nextAt, drawn: drawn.current, redraw: setNow }), [clock, nextAt]);

  return now;
}

interface CountdownOptions {
  clock: Clock;
  /** The end, on that clock; `undefined` if there is none. */
  until: number | undefined;
  /** The time of the first render. Default: the end, so that the countdown starts at 0 until the first tick. */
  initial?: number;
}

/** Returns the whole seconds until an instant, rounded up; 0 afterwards or without one. */
export function useCountdown({ clock, until, initial = until ?? 0 }: CountdownOptions): number {
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

interface RedrawOptions {
  clock: Clock;
  /** Returns the next instant at which the picture changes, or `undefined` if it never does. */
  nextAt: (now: number) => number | undefined;
  /** The instant that the current picture shows. */
  drawn: number;
  /** Called with the current time when the picture is out of date. */
  redraw(now: number): void;
}

/** Maximum timer delay, so that a clock correction is noticed. */
const MAX_SLEEP_MS = 30_000;
/** Changes closer than this share a redraw: in a flood, a hundred hits leave the window at a time. */
const MIN_SLEEP_MS = 50;

/**
 * Redraws a picture exactly when it changes. It computes the next change from the drawn instant, not from now, so
 * that no change in between is lost. Returns a function that stops it.
 */
export function scheduleRedraws({ clock, nextAt, drawn, redraw }: RedrawOptions): () => void {
  let shown = drawn;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function redrawIfDue(): void {
    const present = clock.now();
    if (isChanged({ shown, present })) {
      shown = present;
      redraw(present);
    }
    const at = nextAt(shown);
    if (at === undefined) return;
    timer = setTimeout(redrawIfDue, Math.min(MAX_SLEEP_MS, Math.max(MIN_SLEEP_MS, at - present)));
  }

  /** Returns true if the picture changed between the two instants. A corrected clock may have gone back. */
  function isChanged({ shown, present }: { shown: number; present: number }): boolean {
    const change = nextAt(Math.min(shown, present));
    return change !== undefined && change <= Math.max(shown, present);
  }

  redrawIfDue();
  return () => clearTimeout(timer);
}
