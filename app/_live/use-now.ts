import { useEffect, useRef, useState } from 'react';
import type { Clock } from './clock';
import { followChanges } from './follow-changes';

interface Options {
  clock: Clock;
  /** The instant of the first render, which must be equal on the server and in the browser. */
  initial: number;
  /** When the picture changes next, given an instant; `undefined` where it never does. Keep its identity stable. */
  nextAt: (now: number) => number | undefined;
}

/** The present, renewed exactly when something drawn from it changes. */
export function useNow({ clock, initial, nextAt }: Options): number {
  const [now, setNow] = useState(initial);
  const [drawnFor, setDrawnFor] = useState(() => nextAt);
  const drawn = useRef(now);

  // What is drawn has changed since the last tick: catch up at once, or one frame would show the new by an old time.
  if (drawnFor !== nextAt) {
    setDrawnFor(() => nextAt);
    setNow(clock.now());
  }

  useEffect(() => {
    drawn.current = now;
  }, [now]);
  useEffect(() => followChanges({ clock, nextAt, drawn: drawn.current, redraw: setNow }), [clock, nextAt]);

  return now;
}
