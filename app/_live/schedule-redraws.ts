import type { Clock } from './clock';

interface Options {
  clock: Clock;
  /** Returns the next instant at which the picture changes, or `undefined` if it never does. */
  nextAt: (now: number) => number | undefined;
  /** The instant that the current picture shows. */
  drawn: number;
  /** Called with the current time when the picture is out of date. */
  redraw(now: number): void;
}

/** Maximum timer delay, so that a clock correction is noticed. */
const longestSleepMs = 30_000;
/** Changes closer than this share a redraw: in a flood, a hundred hits leave the window at a time. */
const shortestSleepMs = 50;

/**
 * Redraws a picture exactly when it changes. It computes the next change from the drawn instant, not from now, so
 * that no change in between is lost. Returns a function that stops it.
 */
export function scheduleRedraws({ clock, nextAt, drawn, redraw }: Options): () => void {
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
    timer = setTimeout(redrawIfDue, Math.min(longestSleepMs, Math.max(shortestSleepMs, at - present)));
  }

  /** Returns true if the picture changed between the two instants. A corrected clock may have gone back. */
  function isChanged({ shown, present }: { shown: number; present: number }): boolean {
    const change = nextAt(Math.min(shown, present));
    return change !== undefined && change <= Math.max(shown, present);
  }

  redrawIfDue();
  return () => clearTimeout(timer);
}
