import { useEffect, useState } from 'react';
import type { Clock } from './clock';

interface Options {
  clock: Clock;
  /** The instant of the first render, which must be equal on the server and in the browser. */
  initial: number;
  /** When the picture changes next, given the present; `undefined` where it never does. Keep its identity stable. */
  nextAt: (now: number) => number | undefined;
}

/** A timer never sleeps longer than this, so that a corrected clock is noticed. */
const longestSleepMs = 30_000;
/** Changes that come closer than this are drawn together: a flood leaves the window a hundred hits at a time. */
const shortestSleepMs = 50;

/** The present, renewed exactly when something drawn from it changes. */
export function useNow({ clock, initial, nextAt }: Options): number {
  const [now, setNow] = useState(initial);
  const [drawnFor, setDrawnFor] = useState(() => nextAt);

  // What is drawn has changed since the last tick: catch up at once, or one frame would show the new by an old time.
  if (drawnFor !== nextAt) {
    setDrawnFor(() => nextAt);
    setNow(clock.now());
  }

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function tick(): void {
      const present = clock.now();
      setNow(present);
      const at = nextAt(present);
      if (at === undefined) return;
      timer = setTimeout(tick, Math.min(longestSleepMs, Math.max(shortestSleepMs, at - present)));
    }
    tick();
    return () => clearTimeout(timer);
  }, [clock, nextAt]);

  return now;
}
