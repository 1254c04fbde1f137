import { useEffect, useRef, useState } from 'react';
import type { Clock } from './clock';
import { scheduleRedraws } from './schedule-redraws';

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
