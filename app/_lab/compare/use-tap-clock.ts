import { useRef } from 'react';
import { stopwatch } from '../../_live/clock';

interface TapClock {
  /** Returns the offset of a tap at this moment from the first tap, in whole ms. */
  offset(): number;
  restart(): void;
}

/** A resumed recording continues this long after its last tap. */
const RESUME_GAP_MS = 1_000;

/** The clock of a recording. It starts with the first tap, or continues a recording from the URL. */
export function useTapClock(taps: readonly number[]): TapClock {
  const zeroAt = useRef<number>(undefined);
  return {
    offset() {
      const now = stopwatch.now();
      const last = taps.at(-1);
      zeroAt.current ??= last === undefined ? now : now - last - RESUME_GAP_MS;
      return Math.max(last ?? 0, Math.round(now - zeroAt.current));
    },
    restart() {
      zeroAt.current = undefined;
    },
  };
}
