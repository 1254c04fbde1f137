import { useRef } from 'react';
import { stopwatch } from '../../_live/clock';

interface TapClock {
  /** Of a tap that comes now, in whole ms from the first. */
  offset(): number;
  restart(): void;
}

/** After a pause in front of the page a recording goes on a second after its last tap. */
const resumeAfterMs = 1_000;

/** The clock of a recording, which begins with its first tap, or goes on where an address left it. */
export function useTapClock(taps: readonly number[]): TapClock {
  const zeroAt = useRef<number>(undefined);
  return {
    offset() {
      const now = stopwatch.now();
      const last = taps.at(-1);
      zeroAt.current ??= last === undefined ? now : now - last - resumeAfterMs;
      return Math.max(last ?? 0, Math.round(now - zeroAt.current));
    },
    restart() {
      zeroAt.current = undefined;
    },
  };
}
