import type { Clock } from './clock';

interface Options {
  clock: Clock;
  /** When the picture changes next after an instant; `undefined` where it never does. */
  nextAt: (now: number) => number | undefined;
  /** The instant that the picture was drawn for. */
  drawn: number;
  /** Called with the present whenever the picture is out of date. */
  redraw(now: number): void;
}

/** A timer never sleeps longer than this, so that a corrected clock is noticed. */
const longestSleepMs = 30_000;
/** Changes that come closer than this are drawn together: a flood leaves the window a hundred hits at a time. */
const shortestSleepMs = 50;

/**
 * Has a picture drawn anew exactly when it changes. The next change is reckoned from what is drawn, never from the
 * present: a change that lies between the two is still to be drawn. Returns how to end it.
 */
export function followChanges({ clock, nextAt, drawn, redraw }: Options): () => void {
  let shown = drawn;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look(): void {
    const present = clock.now();
    if (isChanged({ shown, present })) {
      shown = present;
      redraw(present);
    }
    const at = nextAt(shown);
    if (at === undefined) return;
    timer = setTimeout(look, Math.min(longestSleepMs, Math.max(shortestSleepMs, at - present)));
  }

  /** Whether what is drawn for one instant is wrong at the other; a corrected clock may have gone back. */
  function isChanged({ shown, present }: { shown: number; present: number }): boolean {
    const change = nextAt(Math.min(shown, present));
    return change !== undefined && change <= Math.max(shown, present);
  }

  look();
  return () => clearTimeout(timer);
}
