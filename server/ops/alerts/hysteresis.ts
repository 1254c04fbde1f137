/** When a value that is watched raises an alert, and when that clears. */
export interface Thresholds {
  /** A value as high as this… */
  raiseAt: number;
  /** …for so long raises, in ms. */
  forMs: number;
  /** A value below this, which is at most `raiseAt`… */
  clearAt: number;
  /** …for so long clears, in ms. */
  clearMs: number;
}

/** How far a watched value is. Instants in epoch ms. */
export type Watch =
  | { phase: 'quiet' }
  /** High since then, not for long enough. */
  | { phase: 'rising'; since: number }
  | { phase: 'raised' }
  /** Low again since then, not for long enough. */
  | { phase: 'falling'; since: number };

export interface Step {
  watch: Watch;
  change?: 'raised' | 'cleared';
}

/**
 * The next phase. Between `clearAt` and `raiseAt` everything stays as it is but what was about to change, which begins
 * anew: so a value that wavers says nothing twice. A value that nobody knows changes nothing.
 */
export function nextStep(
  watch: Watch,
  { raiseAt, forMs, clearAt, clearMs }: Thresholds,
  { value, now }: { value: number | undefined; now: number },
): Step {
  if (value === undefined) return { watch };
  switch (watch.phase) {
    case 'quiet':
    case 'rising': {
      if (value < raiseAt) return { watch: { phase: 'quiet' } };
      const since = watch.phase === 'rising' ? notLater(watch.since, now) : now;
      if (now - since < forMs) return { watch: { phase: 'rising', since } };
      return { watch: { phase: 'raised' }, change: 'raised' };
    }
    case 'raised':
    case 'falling': {
      if (value >= clearAt) return { watch: { phase: 'raised' } };
      const since = watch.phase === 'falling' ? notLater(watch.since, now) : now;
      if (now - since < clearMs) return { watch: { phase: 'falling', since } };
      return { watch: { phase: 'quiet' }, change: 'cleared' };
    }
  }
}

/** An instant that is yet to come was told by the clock of another Redis: the wait begins with what this one says. */
function notLater(since: number, now: number): number {
  return Math.min(since, now);
}
